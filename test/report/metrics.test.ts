import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { RegistrarError } from '../../lib/errors.ts';
import { PUBLISHED, publishingLog, withMetrics } from '../../lib/report/metrics.ts';
import { memoryLog } from '../fakes/log.ts';

const NAMESPACE = 'iceberg-registrar/test';
const NOW = 1_790_000_000_000;

interface Directive {
  readonly Namespace: string;
  readonly Dimensions: readonly (readonly string[])[];
  readonly Metrics: readonly { readonly Name: string; readonly Unit: string }[];
}

const SAMPLES = [
  {
    event: 'committed',
    table: 'a.b',
    snapshotId: 1n,
    segments: 2,
    rows: 30n,
    bytes: 400n,
    durationMs: 50,
    lagMs: 900,
  },
  { event: 'registered', messages: 1, committed: 2, quarantined: 1 },
  { event: 'quarantined', table: 'a.b', uri: 's3://x', code: 'segment.unreadable', message: 'why' },
  { event: 'table-failed', table: 'a.b', segments: 2, error: new RegistrarError('auth.failed', 'no') },
  { event: 'route.failed', code: 'queue.unavailable', message: 'no', messages: 1 },
  { event: 'history-short', table: 'a.b' },
  { event: 'routed', messages: 1, segments: 7, unroutable: 0, quarantined: 1 },
  { event: 'event.rejected', count: 2, quarantined: 1 },
  { event: 'reconciled', table: 'a.b', missing: 3 },
  { event: 'table-health', table: 'a.b', available: 1, fresh: 0, healthy: 1, ageMs: 5, openFailures: 0 },
  { event: 'health', tablesUnavailable: 0, tablesStale: 1, tablesUnhealthy: 0 },
];

describe('withMetrics', () => {
  test.each(SAMPLES)('$event: names numbers and dimensions that are in the line itself', (record) => {
    const line = withMetrics(record, NAMESPACE, NOW);
    const { Namespace, Dimensions, Metrics } = directive(line);
    expect(Namespace).toBe(NAMESPACE);
    expect(Metrics.length).toBeGreaterThan(0);
    for (const { Name, Unit } of Metrics) {
      expect(['number', 'bigint']).toContain(typeof line[Name]);
      expect(['Count', 'Milliseconds']).toContain(Unit);
    }
    for (const name of Dimensions.flat()) expect(line[name]).toBeTypeOf('string');
    expect(line).toMatchObject(record);
  });

  test('never has a table beside another dimension, nor two of the rest', () => {
    const sets = SAMPLES.flatMap((record) => directive(withMetrics(record, NAMESPACE, NOW)).Dimensions);
    expect(new Set(sets.map((set) => set.join()))).toEqual(new Set(['', 'table', 'code']));
  });

  test('counts a failure under the code of its error', () => {
    const error = new RegistrarError('auth.failed', 'no');
    expect(withMetrics({ event: 'table-failed', table: 'a.b', error }, NAMESPACE, NOW)).toMatchObject({
      code: 'auth.failed',
      failures: 1,
    });
  });

  test('leaves a line without numbers, and one that is no metric, as it is', () => {
    for (const record of [
      { event: 'committed', table: 'a.b' },
      { event: 'isolating', segments: 3 },
    ]) {
      expect(withMetrics(record, NAMESPACE, NOW)).toBe(record);
    }
  });

  test('the metrics and their dimensions are those of docs/operating.md', () => {
    const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/operating.md'), 'utf8');
    const documented = page
      .matchAll(/^\| (none|`table`|`code`) \| (.*) \|$/gm)
      .flatMap(([, dimension = '', row = '']) =>
        row.matchAll(/`([\w-]+)`/g).map(([, name]) => `${dimension.replaceAll('`', '')}: ${name}`),
      );
    const published = Object.values(PUBLISHED).flatMap(({ dimensions, metrics }) =>
      dimensions.flatMap((set) => Object.keys(metrics).map((name) => `${set.join() || 'none'}: ${name}`)),
    );
    expect(new Set(published)).toEqual(new Set(documented));
  });
});

test('publishingLog keeps the level and dates the measurement', () => {
  const log = memoryLog();
  publishingLog(log, NAMESPACE, { now: () => NOW }).warn({ event: 'history-short', table: 'a.b' });
  expect(log.records).toEqual([
    expect.objectContaining({
      level: 'warn',
      historyShort: 1,
      _aws: expect.objectContaining({ Timestamp: NOW }),
    }),
  ]);
});

function directive(line: Readonly<Record<string, unknown>>): Directive {
  const { CloudWatchMetrics } = line['_aws'] as { CloudWatchMetrics: readonly Directive[] };
  const [only] = CloudWatchMetrics;
  if (only === undefined) throw new Error('no directive');
  return only;
}
