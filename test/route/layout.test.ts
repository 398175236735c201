import { describe, expect, it } from 'vitest';
import type { Entry } from '../../lib/config/entry.ts';
import type { SegmentReference } from '../../lib/event/segment-reference.ts';
import { layoutRouter } from '../../lib/route/layout.ts';
import { entry } from '../fakes/entry.ts';

const routeSegment = (entries: readonly Entry[], reference: SegmentReference) =>
  layoutRouter(entries)(reference);

describe('layoutRouter: the default layout', () => {
  it('finds pipeline, dataset, table and directory', () => {
    expect(routeSegment([entry()], s3('thadam/v1/cdc/orders/2026/part-1.parquet'))).toMatchObject({
      kind: 'table',
      table: { namespace: ['analytics'], name: 'orders' },
      pipeline: 'cdc',
      dataset: 'orders',
      directory: 's3://lake/thadam/v1/cdc/orders',
      location: 's3://lake/thadam/v1/cdc/orders',
    });
  });

  it.each([
    'thadam/v1/cdc/orders',
    'thadam/v1/cdc',
    'thadam/v2/cdc/orders/x',
    'thadam/v1//orders/x',
    '/thadam/v1/cdc/orders/x',
    'Thadam/v1/cdc/orders/x',
    'x.parquet',
  ])('E24: has no table for %j', (key) => {
    expect(routeSegment([entry()], s3(key))).toEqual({ kind: 'unroutable' });
  });

  it.each(['..', '.', '__proto__', 'constructor', 'a b', 'ü+%2F', '$&', 'a.b', '{pipeline}'])(
    'E24: takes %j for the name of a dataset like any other',
    (name) => {
      const routing = routeSegment([entry()], s3(`thadam/v1/toString/${name}/x//../y`));
      expect(routing).toMatchObject({
        dataset: name,
        table: { name },
        pipeline: 'toString',
        directory: `s3://lake/thadam/v1/toString/${name}`,
      });
    },
  );

  it('reads only below its url: neither a longer bucket, another scheme, nor a sibling prefix', () => {
    const below = entry({ url: 's3://lake/a' });
    const key = 'thadam/v1/p/d/x';
    expect(routeSegment([below], s3(`a/${key}`)).kind).toBe('table');
    expect(routeSegment([below], s3(`ab/${key}`)).kind).toBe('unroutable');
    expect(routeSegment([below], { ...s3(`a/${key}`), bucket: 'lakes' }).kind).toBe('unroutable');
    expect(routeSegment([below], { ...s3(`a/${key}`), scheme: 'gs' }).kind).toBe('unroutable');
  });
});

describe('layoutRouter: I11, what a shipper did not upload', () => {
  it.each([
    ['thadam/v1/p/d/data/00000-0.parquet', 'table-data'],
    ['thadam/v1/p/d/data/x=1/00000-0.parquet', 'table-data'],
    ['thadam/v1/p/d/metadata/v1.metadata.json', 'table-metadata'],
    ['_quarantine/analytics.orders/hash/uuid.json', 'quarantine'],
  ])('ignores %s as %s', (key, reason) => {
    expect(routeSegment([entry()], s3(key))).toMatchObject({ kind: 'ignored', reason });
  });

  it('ignores a table’s own folders beside the partition directories of a layout', () => {
    const daily = entry({ layout: '{url}/{dataset}/day={day}/…' });
    expect(routeSegment([daily], s3('d/data/day=1/x.parquet'))).toMatchObject({ reason: 'table-data' });
    expect(routeSegment([daily], s3('d/day=1/data/x.parquet'))).toMatchObject({
      kind: 'table',
      dataset: 'd',
    });
  });

  it.each([
    ['thadam/v1/p/d/data/x=1/00000-0.parquet', 'thadam/v1/p/d/data'],
    ['_quarantine/analytics.orders/hash/uuid.json', '_quarantine'],
    ['thadam/v1/p/other/x.parquet', 'thadam/v1/p/other'],
  ])('tells for %s where nothing else is to be found', (key, within) => {
    expect(routeSegment([entry({ from: ['d'] })], s3(key))).toMatchObject({ within: `s3://lake/${within}` });
  });

  it.each([
    'thadam/v1/p/data/x.parquet',
    'thadam/v1/data/metadata/x',
    'thadam/v1/p/d/data',
    'thadam/v1/p/d/x/data/y',
  ])('takes %s for a segment: the names alone mean nothing', (key) => {
    expect(routeSegment([entry()], s3(key)).kind).toBe('table');
  });

  it('ignores the files of a table that lies elsewhere, also where no layout reaches', () => {
    const elsewhere = entry({ table_location: 's3://tables/{pipeline}/{dataset}' });
    const key = 'p/d/data/x.parquet';
    expect(routeSegment([elsewhere], { ...s3(key), bucket: 'tables' })).toMatchObject({
      kind: 'ignored',
      reason: 'table-data',
    });
    expect(routeSegment([elsewhere], s3('thadam/v1/p/d/data/x.parquet'))).toMatchObject({
      directory: 's3://lake/thadam/v1/p/d',
      location: 's3://tables/p/d',
    });
  });

  it('ignores the quarantine even below a layout that takes everything', () => {
    const greedy = entry({ layout: '{url}/{dataset}/…' });
    expect(routeSegment([greedy], s3('_quarantine/t/hash/uuid.json')).kind).toBe('ignored');
  });
});

describe('layoutRouter: other layouts', () => {
  it('finds names in a part of a path segment, and puts them together', () => {
    const plain = entry({
      layout: '{url}/site={pipeline}/topic={dataset}/{file}.parquet',
      table: '{pipeline}_{dataset}',
    });
    expect(routeSegment([plain], s3('site=fra/topic=orders/part-1.parquet'))).toMatchObject({
      table: { name: 'fra_orders' },
      directory: 's3://lake/site=fra/topic=orders',
    });
    expect(routeSegment([plain], s3('site=/topic=orders/part-1.parquet')).kind).toBe('unroutable');
    expect(routeSegment([plain], s3('site=fra/topic=orders/part-1.json')).kind).toBe('unroutable');
    expect(routeSegment([plain], s3('site=fra/topic=orders/x/part-1.parquet')).kind).toBe('unroutable');
  });

  it('serves one table below a prefix without names', () => {
    const firehose = entry({ url: 's3://lake/firehose/orders', layout: '{url}/...', table: 'orders' });
    expect(routeSegment([firehose], s3('firehose/orders/2026/01/01/00/x.parquet'))).toMatchObject({
      pipeline: undefined,
      dataset: 'orders',
      directory: 's3://lake/firehose/orders',
    });
  });

  it('the directory ends at the last name that the table has', () => {
    const dated = entry({ layout: '{url}/{dataset}/day={day}/…' });
    expect(routeSegment([dated], s3('orders/day=1/x'))).toMatchObject({ directory: 's3://lake/orders' });
  });
});

describe('layoutRouter: several names in a path segment', () => {
  const flat = entry({
    layout: '{url}/{dataset}-{partition}-{offset}.parquet',
    table_location: 's3://lake/tables/{dataset}',
  });

  it.each([
    ['orders-0-12.parquet', 'orders'],
    ['eu-orders-0-12.parquet', 'eu-orders'],
    ['-----.parquet', '-'],
    ['orders-0-.parquet', undefined],
    ['orders--12.parquet', undefined],
    ['-0-12.parquet', undefined],
    ['orders-0.parquet', undefined],
    ['orders-0-12.json', undefined],
    ['x/orders-0-12.parquet', undefined],
  ])('%s is of dataset %s: earlier names are the longer ones', (key, dataset) => {
    const routing = routeSegment([flat], s3(key));
    expect(routing.kind === 'table' ? routing.dataset : undefined).toBe(dataset);
  });

  it('a long key costs no more than its length', () => {
    const dashes = '-'.repeat(1000);
    expect(routeSegment([flat], s3(`${dashes}.json`)).kind).toBe('unroutable');
    expect(routeSegment([flat], s3(`${dashes}.parquet`))).toMatchObject({ dataset: '-'.repeat(996) });
  });

  it('datasets that are named by their files share the directory, and have locations elsewhere', () => {
    expect(routeSegment([flat], s3('orders-0-12.parquet'))).toMatchObject({
      directory: 's3://lake',
      sharesDirectory: true,
      location: 's3://lake/tables/orders',
    });
    expect(routeSegment([entry()], s3('thadam/v1/p/d/x'))).toMatchObject({ sharesDirectory: false });
  });

  it('finds server, schema and table in a topic', () => {
    const topics = entry({ layout: '{url}/topics/{server}.{schema}.{dataset}/…' });
    expect(routeSegment([topics], s3('topics/shop.eu.public.orders/partition=0/x'))).toMatchObject({
      dataset: 'orders',
      directory: 's3://lake/topics/shop.eu.public.orders',
    });
  });
});

describe('layoutRouter: hidden_names: ignore', () => {
  const spark = entry({ layout: '{url}/{dataset}/…', hidden_names: 'ignore' });

  it.each([
    '_SUCCESS',
    'orders/_committed_7',
    'orders/.part-0.parquet.crc',
    'orders/.spark-staging-1/part-0.parquet',
    'orders/day=1/._SUCCESS.crc',
    '_staging/x.parquet',
  ])('ignores %s by rule', (key) => {
    expect(routeSegment([spark], s3(key))).toEqual({ kind: 'ignored', reason: 'hidden' });
  });

  it.each(['orders/_day=1/x.parquet', 'orders/a_b/x._parquet', 'orders/x.parquet'])('takes %s', (key) => {
    expect(routeSegment([spark], s3(key)).kind).toBe('table');
  });

  it('is a rule for names below the url only, and leaves to other entries what they take', () => {
    const hiddenUrl = entry({ url: 's3://lake/_raw', layout: '{url}/{dataset}/…', hidden_names: 'ignore' });
    expect(routeSegment([spark, hiddenUrl], s3('_raw/orders/x.parquet'))).toMatchObject({ entry: hiddenUrl });
    expect(routeSegment([spark], { ...s3('_x/y/z'), bucket: 'other' }).kind).toBe('unroutable');
    expect(routeSegment([entry()], s3('thadam/v1/p/_d/_x')).kind).toBe('table');
  });
});

describe('layoutRouter: several entries', () => {
  const entries = [
    entry({ pipeline: 'cdc', from: ['orders'], namespace: ['first'] }),
    entry({ pipeline: 'cdc', namespace: ['second'] }),
    entry({ url: 's3://other', namespace: ['third'] }),
  ];

  it.each([
    ['lake', 'thadam/v1/cdc/orders/x', 'first'],
    ['lake', 'thadam/v1/cdc/events/x', 'second'],
    ['other', 'thadam/v1/any/orders/x', 'third'],
    ['lake', 'thadam/v1/any/orders/x', undefined],
  ])('the first that accepts s3://%s/%s has it: %s', (bucket, key, namespace) => {
    const routing = routeSegment(entries, { ...s3(key), bucket });
    expect(routing.kind === 'table' ? routing.table.namespace[0] : undefined).toBe(namespace);
  });

  it('data/ in a url is not of the table of another entry that does not take it', () => {
    const key = 'iot/data/thadam/v1/p/d/x.parquet';
    const below = entry({ url: 's3://lake/iot/data' });
    const greedy = entry({ layout: '{url}/{dataset}/…', from: ['orders'] });
    const otherPipeline = entry({ layout: '{url}/{pipeline}/…', table: '{pipeline}', pipeline: 'cdc' });
    for (const other of [greedy, otherPipeline]) {
      expect(routeSegment([other, below], s3(key))).toMatchObject({ kind: 'table', entry: below });
    }
    expect(routeSegment([greedy, below], s3('orders/data/x.parquet')).kind).toBe('ignored');
  });
});

function s3(key: string) {
  return { scheme: 's3', bucket: 'lake', key } as const;
}
