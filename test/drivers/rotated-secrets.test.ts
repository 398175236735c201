import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Wiring, wire } from '../../lib/wire.ts';
import { type Stack, startStack } from '../../local/stack.ts';

/** A container whose secrets lie in files, as a mounted secret does, over a catalog that takes one token at a time. */
let folder: string;
let stack: Stack;
let taken: string;
let lines: string[];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'iceberg-registrar-secrets-'));
  lines = [];
  stack = await startStack({
    onCatalogRequest: ({ headers }) =>
      headers['authorization'] === `Bearer ${taken}`
        ? undefined
        : {
            when: 'before',
            answer: { status: 401, body: '{"error":{"message":"no","type":"X","code":401}}' },
          },
  });
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 1) });
});
afterEach(async () => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
  await stack.close();
});

const put = (token: string) => writeFileSync(join(folder, 'token'), `${token}\n`);

async function warmContainer(): Promise<() => ReturnType<ReturnType<Wiring['portsOf']>['catalog']['load']>> {
  const wiring = await wire(
    {
      REGISTRAR_CONFIG: JSON.stringify({
        url: 's3://lake',
        catalog_uri: stack.catalogUri,
        catalog_token: `\${file:${join(folder, 'token')}}`,
        namespace: 'analytics',
        retry: { initial: '1ms', max: '1ms' },
      }),
    },
    { write: (line: string) => lines.push(line) > 0 },
  );
  const [entry] = wiring.entries;
  if (entry === undefined) throw new Error('Expected an entry');
  const { catalog } = wiring.portsOf(entry);
  return () => catalog.load({ namespace: ['analytics'], name: 'orders' });
}

test('a warm container goes on with the secret that was rotated in under it', async () => {
  put('first-token');
  taken = 'first-token';
  const load = await warmContainer();
  expect(await load()).toBeUndefined();
  put('second-token');
  taken = 'second-token';
  vi.setSystemTime(Date.now() + 60_000);
  expect(await load()).toBeUndefined();
  expect(lines).toStrictEqual([]);
});

test('a secret that was not rotated stays auth.failed; one that cannot be read is told, not shown', async () => {
  put('first-token');
  taken = 'another-token';
  const load = await warmContainer();
  vi.setSystemTime(Date.now() + 60_000);
  await expect(load()).rejects.toMatchObject({ code: 'auth.failed' });
  rmSync(join(folder, 'token'));
  vi.setSystemTime(Date.now() + 60_000);
  await expect(load()).rejects.toMatchObject({ code: 'auth.failed' });
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 'warn', event: 'secrets-not-read-again', error: { code: 'config.invalid' } },
  ]);
  expect(lines.join()).not.toContain('first-token');
});
