import { expect, test } from 'vitest';
import { json } from '../../fakes/http.ts';
import { failure, loadedTable, scriptedCatalog } from './scripted-catalog.ts';

const table = { namespace: ['analytics'], name: 'orders' };
const commit = { requirements: [], updates: [] };

/** A catalog that names every state of its one table by an ETag. */
function taggingCatalog() {
  const state = { version: 1, conflict: false };
  return scriptedCatalog({
    answer: (line, { headers }) => {
      if (line.includes('/v1/config')) return undefined;
      if (line.startsWith('POST')) return state.conflict ? failure(409) : json(200, loadedTable);
      const etag = `"v${state.version}"`;
      if (headers['if-none-match'] === etag) return { status: 304 };
      return json(200, { ...loadedTable, metadata: { version: state.version } }, { etag });
    },
  }).then((made) => ({ ...made, state }));
}

test('load asks for a table only if it has changed, and answers what it had (ETag)', async () => {
  const { catalog, server, state } = await taggingCatalog();
  const first = await catalog.load(table);
  expect(await catalog.load(table)).toBe(first);
  state.version = 2;
  expect(await catalog.load(table)).toMatchObject({ metadata: { version: 2 } });
  const asked = server.requests.slice(1).map(({ headers }) => headers['if-none-match']);
  expect(asked).toStrictEqual([undefined, '"v1"', '"v1"']);
});

test('load compares what is known of the history, and marks what the answer repeats of it', async () => {
  const snapshots = [{ 'snapshot-id': 1 }];
  const { catalog } = await scriptedCatalog({
    answer: (line) =>
      line.includes('/v1/config') ? undefined : json(200, { ...loadedTable, metadata: { snapshots } }),
  });
  const known = { snapshots: Buffer.from('[{"snapshot-id":1}]') };
  snapshots.push({ 'snapshot-id': 2 });
  const extended = await catalog.load(table, { known });
  expect(extended?.metadataText?.repeated.snapshots).toBe(known.snapshots);
  snapshots.shift();
  const expired = await catalog.load(table, { known });
  expect(expired?.metadataText?.repeated.snapshots).toBeUndefined();
});

test('load after a refused commit takes nothing for unchanged (D5)', async () => {
  const { catalog, server, state } = await taggingCatalog();
  await catalog.load(table);
  state.conflict = true;
  await catalog.commit(table, commit);
  await catalog.load(table);
  expect(server.requests.at(-1)?.headers).not.toHaveProperty('if-none-match');
});

test.each([
  { where: 'beside the overrides', config: { 'idempotency-key-lifetime': 'PT30M' } },
  {
    where: 'among the overrides, as by Lakekeeper',
    config: { overrides: { 'idempotency-key-lifetime': 'PT30M' } },
  },
])(
  'an Idempotency-Key is sent where the catalog advertises it $where, a new one for every sending',
  async ({ config }) => {
    const seen: (string | undefined)[] = [];
    const { catalog } = await scriptedCatalog({
      answer: (line, { headers }) => {
        if (line.includes('/v1/config')) return json(200, config);
        if (!line.startsWith('POST')) return undefined;
        seen.push(headers['idempotency-key']);
        return seen.length === 1 ? failure(401) : undefined;
      },
      authorization: { authorize: async () => ({}), renew: async () => true },
    });
    await catalog.commit(table, commit);
    await catalog.commit(table, commit);
    expect(new Set(seen).size).toBe(3);
    const time = Date.UTC(2026, 0, 1).toString(16).padStart(12, '0');
    for (const key of seen) {
      expect(key).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(key?.replaceAll('-', '').slice(0, 12)).toBe(time);
    }
  },
);

test('no Idempotency-Key is sent where the catalog advertises none', async () => {
  const { catalog, server } = await scriptedCatalog();
  await catalog.commit(table, commit);
  expect(server.requests.at(-1)?.headers).not.toHaveProperty('idempotency-key');
});
