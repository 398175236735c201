import { expect, test } from 'vitest';
import type { TableCommit } from '../../../lib/spec/table-update.ts';
import { failure, scriptedCatalog } from './scripted-catalog.ts';

const table = { namespace: ['a', 'b'], name: 'orders' };
const append: TableCommit = {
  requirements: [],
  updates: [
    {
      action: 'add-snapshot',
      snapshot: {
        'snapshot-id': 8656952484400131532n,
        'sequence-number': 7n,
        'timestamp-ms': 1n,
        'manifest-list': 's3://lake/snap.avro',
        summary: {
          operation: 'append',
          'added-data-files': '2',
          'added-files-size': '10',
          'total-records': '30',
          'iceberg-registrar.segments': '[]',
        },
        'schema-id': 0,
      },
    },
  ],
};

test('a landed commit is reported where catalog_metrics asks for it, snapshot IDs to the digit', async () => {
  const { catalog, server } = await scriptedCatalog({ settings: { catalog_metrics: true } });
  expect(await catalog.commit(table, append)).toMatchObject({ outcome: 'landed' });
  expect(server.lines.at(-1)).toBe('POST /v1/namespaces/a%1Fb/tables/orders/metrics');
  const body = server.requests.at(-1)?.body.toString() ?? '';
  expect(body).toContain('"snapshot-id":8656952484400131532,');
  expect(JSON.parse(body)).toMatchObject({
    'report-type': 'commit-report',
    'table-name': 'a.b.orders',
    'sequence-number': 7,
    operation: 'append',
    metrics: {
      'added-data-files': { unit: 'count', value: 2 },
      'added-files-size-bytes': { unit: 'bytes', value: 10 },
      'total-records': { unit: 'count', value: 30 },
    },
  });
});

test.each([404, 500])('a report answered by %i changes nothing of the commit', async (status) => {
  const { catalog } = await scriptedCatalog({
    settings: { catalog_metrics: true },
    answer: (line) => (line.endsWith('/metrics') ? failure(status) : undefined),
  });
  expect(await catalog.commit(table, append)).toMatchObject({ outcome: 'landed' });
});

test('nothing is reported unasked, nor for a commit without a snapshot, nor for one that was refused', async () => {
  const unasked = await scriptedCatalog();
  await unasked.catalog.commit(table, append);
  const empty = await scriptedCatalog({ settings: { catalog_metrics: true } });
  await empty.catalog.commit(table, { requirements: [], updates: [] });
  const refused = await scriptedCatalog({
    settings: { catalog_metrics: true },
    answer: (line) => (line.endsWith('/orders') ? failure(409) : undefined),
  });
  await refused.catalog.commit(table, append);
  for (const { requested } of [unasked, empty, refused]) expect(requested()).toHaveLength(1);
});
