import { expect, test } from 'vitest';
import type { TableCommit } from '../../lib/spec/table-update.ts';
import { type CommitFate, fakeCatalog } from './catalog.ts';
import { seededRandom } from './random.ts';
import { fakeStore } from './store.ts';
import { virtualTime } from './time.ts';

const table = { namespace: ['lake'], name: 'orders' };
const set = (key: string): TableCommit => ({
  requirements: [],
  updates: [{ action: 'set-properties', updates: { [key]: 'yes' } }],
});

async function withTable(...fates: CommitFate[]) {
  const { clock } = virtualTime();
  const catalog = fakeCatalog(fakeStore(clock), clock, seededRandom());
  await catalog.createNamespace(table.namespace);
  await catalog.create(table, {
    schema: { type: 'struct', fields: [] },
    spec: { 'spec-id': 0, fields: [] },
    location: undefined,
    formatVersion: 2,
    properties: {},
  });
  catalog.fates.push(...fates);
  const properties = () => catalog.tables.load(table).metadata.properties;
  return { catalog, properties };
}

test.each([
  ['conflict', { outcome: 'refused', reason: 'conflict' }, {}],
  ['invalid', { outcome: 'refused', reason: 'invalid' }, {}],
  ['lost', { outcome: 'unknown' }, {}],
  ['answer lost', { outcome: 'unknown' }, { a: 'yes' }],
  ['normal', { outcome: 'landed' }, { a: 'yes' }],
] as const)(
  'fakeCatalog gives a commit the fate "%s", the next one is normal',
  async (fate, result, held) => {
    const { catalog, properties } = await withTable(fate);
    expect(await catalog.commit(table, set('a'))).toMatchObject(result);
    expect(properties()).toStrictEqual(held);
    expect(await catalog.commit(table, set('b'))).toMatchObject({ outcome: 'landed' });
  },
);

test('fakeCatalog lands a late commit when told to, after others', async () => {
  const { catalog, properties } = await withTable('late');
  expect(await catalog.commit(table, set('a'))).toMatchObject({ outcome: 'unknown' });
  await catalog.commit(table, set('b'));
  expect(properties()).toStrictEqual({ b: 'yes' });
  expect(await catalog.landLate()).toMatchObject({ outcome: 'landed' });
  expect(properties()).toStrictEqual({ a: 'yes', b: 'yes' });
});

test('fakeCatalog counts calls, and lets another writer in before each', async () => {
  const { catalog, properties } = await withTable();
  catalog.onCall = async ({ operation }) => {
    if (operation === 'commit') await catalog.tables.commit(table, { ...set('foreign') });
  };
  await catalog.commit(table, set('a'));
  expect(Object.keys(properties())).toStrictEqual(['foreign', 'a']);
  expect(catalog.calls.map(({ operation }) => operation)).toStrictEqual([
    'createNamespace',
    'create',
    'commit',
  ]);
});
