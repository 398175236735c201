import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { examine, type Finding } from '../../lib/jobs/doctor.ts';
import { queueSetup, wire } from '../../lib/wire.ts';
import { type Stack, startStack } from '../../local/stack.ts';
import { appendTo, creation } from '../contract/catalog-table.ts';

let stack: Stack;
beforeEach(async () => {
  stack = await startStack({ catalog: { token: 'right-token' } });
  stack.createBucket('lake');
  vi.stubEnv('AWS_ACCESS_KEY_ID', stack.credentials.accessKeyId);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', stack.credentials.secretAccessKey);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await stack.close();
});

function wiring(changed: Readonly<Record<string, unknown>> = {}) {
  return wire({
    REGISTRAR_CONFIG: JSON.stringify({
      url: 's3://lake/in',
      catalog_uri: stack.catalogUri,
      catalog_token: 'right-token',
      namespace: 'analytics',
      retry: { initial: '1ms', max: '1ms' },
      store: { endpoint: stack.s3Endpoint, region: stack.region, allow_http: true },
      ...changed,
    }),
  });
}

/** The findings of a set-up that is right but for `changed`, by check. */
async function findings(changed: Readonly<Record<string, unknown>> = {}, table?: string) {
  const queue = (name: string, fifo: boolean) =>
    stack.createQueue(name, { fifo, visibilitySeconds: 360, deadLetter: { maxReceiveCount: 20 } }).url;
  const made = await wiring({
    create_table: true,
    queues: { arrivals: queue('arrivals', false), registrations: queue('registrations', true) },
    ...changed,
  });
  const all = await examine({ ...made, queueSetup }, table);
  return new Map(all.map((finding): [string, Finding] => [finding.check, finding]));
}

describe('examine finds a right set-up right', () => {
  test('every check is ok, and the record it writes is no failure that waits', async () => {
    stack.objects.put('lake', 'in/a.parquet', Buffer.from('12345678'));
    const found = await findings({}, 'orders');
    expect([...found.values()].filter(({ state }) => state !== 'ok')).toStrictEqual([]);
    expect([...found.keys()].toSorted()).toStrictEqual([
      'arrivals',
      'authentication',
      'catalog',
      'clock',
      'creation',
      'quarantine',
      'registrations',
      'segments',
      'table',
    ]);
  });
});

describe('examine says what to change', () => {
  test.each([
    ['catalog', { catalog_uri: 'http://127.0.0.1:1' }, /ECONNREFUSED/, /check catalog_uri/],
    ['catalog', { catalog_token: 'wrong-token' }, /auth\.failed.*401/, /check the credentials/],
    ['creation', {}, /create_via "auto"; the catalog lists register, commit, create/, undefined],
    ['table', { create_table: false }, /"analytics.orders" is not there/, /create_table: true/],
    ['segments', {}, /is empty/, /check url/],
    ['segments', { url: 's3://nowhere' }, /NoSuchBucket/, /create the bucket or correct the URL/],
    [
      'quarantine',
      { quarantine_url: 's3://nowhere/q' },
      /NoSuchBucket/,
      /create the bucket or correct the URL/,
    ],
  ] as const)('%s with %j', async (check, changed, saying, wayOut) => {
    const finding = (await findings(changed, 'orders')).get(check);
    expect(finding?.found).toMatch(saying);
    if (wayOut !== undefined) expect(finding?.wayOut).toMatch(wayOut);
    expect(JSON.stringify(finding)).not.toContain('wrong-token');
  });

  test('what lies behind a catalog that is not reached is not checked, the rest is', async () => {
    const found = await findings({ catalog_uri: 'http://127.0.0.1:1' });
    expect(found.get('authentication')?.state).toBe('not checked');
    expect(found.get('quarantine')?.state).toBe('ok');
  });

  test('a table that somebody else appends to as well', async () => {
    const table = { namespace: ['analytics'], name: 'orders' };
    const { entries, portsOf } = await wiring({ create_table: true });
    const catalog = entries[0] && portsOf(entries[0]).catalog;
    await catalog?.createNamespace(table.namespace);
    await catalog?.commit(table, creation('s3://lake/orders'));
    const made = await catalog?.load(table);
    if (made !== undefined) await catalog?.commit(table, { requirements: [], updates: appendTo(made, 1n) });
    expect((await findings({}, 'orders')).get('table')).toMatchObject({
      state: 'warning',
      found: expect.stringContaining('1 of its 1 retained appends are of other writers'),
    });
  });

  test('queues that are of the wrong kind, too eager, or without a dead-letter queue', async () => {
    const fifo = stack.createQueue('swapped', { fifo: true, visibilitySeconds: 360 }).url;
    const eager = stack.createQueue('eager', { fifo: true, visibilitySeconds: 30 }).url;
    const swapped = await findings({ queues: { arrivals: fifo, registrations: eager } });
    expect(swapped.get('arrivals')).toMatchObject({ state: 'failed', wayOut: 'name a standard queue' });
    expect(swapped.get('registrations')).toMatchObject({
      state: 'failed',
      wayOut: expect.stringContaining('360 s'),
    });
    const bare = await findings({ queues: { registrations: fifo } });
    expect(bare.get('registrations')).toMatchObject({ state: 'warning', wayOut: 'give it a redrive policy' });
    expect(bare.get('arrivals')).toMatchObject({ state: 'not checked' });
  });

  test('a clock that is apart from the store’s', async () => {
    const behind = { now: () => Date.now() - 20 * 60_000 };
    const found = await examine({ ...(await wiring()), clock: behind, queueSetup });
    expect(found.find(({ check }) => check === 'clock')).toMatchObject({
      state: 'failed',
      found: expect.stringMatching(/1[12]\d\d s apart/),
    });
  });
});
