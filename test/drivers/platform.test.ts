import { expect, test } from 'vitest';
import { jsonLinesLog, systemRandom } from '../../lib/drivers/platform.ts';
import { RegistrarError } from '../../lib/errors.ts';

function lines() {
  const written: string[] = [];
  const log = jsonLinesLog({ now: () => Date.UTC(2026, 0, 1) }, (line) => written.push(line));
  return { log, written };
}

test('jsonLinesLog writes one JSON object a line, 64-bit numbers whole', () => {
  const { log, written } = lines();
  log.info({ event: 'commit.landed', snapshotId: 8_656_952_484_400_131_533n, text: 'two\nlines' });
  log.warn({ event: 'b' });
  log.error({ event: 'c' });
  expect(written).toStrictEqual([
    '{"time":"2026-01-01T00:00:00.000Z","level":"info","event":"commit.landed","snapshotId":8656952484400131533,"text":"two\\nlines"}\n',
    '{"time":"2026-01-01T00:00:00.000Z","level":"warn","event":"b"}\n',
    '{"time":"2026-01-01T00:00:00.000Z","level":"error","event":"c"}\n',
  ]);
});

test('jsonLinesLog writes errors with code, context and causes', () => {
  const { log, written } = lines();
  const error = new RegistrarError('store.unavailable', 'told', {
    context: { status: 503 },
    cause: new TypeError('why'),
  });
  log.error({ event: 'failed', error, all: [error] });
  expect(JSON.parse(written[0] ?? '')).toMatchObject({
    error: {
      name: 'RegistrarError',
      code: 'store.unavailable',
      message: 'told',
      context: { status: 503 },
      cause: { name: 'TypeError', message: 'why', stack: expect.stringContaining('platform.test.ts') },
    },
    all: [{ code: 'store.unavailable' }],
  });
});

test('systemRandom makes version 4 UUIDs and numbers below 1', () => {
  expect(systemRandom.uuid()).toMatch(
    /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );
  expect(systemRandom.next()).toBeLessThan(1);
});
