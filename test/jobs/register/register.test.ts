import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readManifestEntries } from '../../../lib/append/manifest.ts';
import { manifestFiles, readManifestList } from '../../../lib/append/manifest-list.ts';
import { register } from '../../../lib/jobs/register/register.ts';
import type { Schema } from '../../../lib/spec/schema.ts';
import { branchHead, type TableState } from '../../../lib/spec/table-state.ts';
import { optional, required, schema } from '../../../local/shipper/schema-notation.ts';
import { writeParquet } from '../../../local/shipper/segment.ts';
import { engineFile } from '../../fakes/engine-file.ts';
import { plainFile } from '../../fakes/plain-file.ts';
import { struct as thriftStruct } from '../../fuzz/compact-writer.ts';
import { flatFile } from '../../segment/flat-footer.ts';
import { expireOldest } from '../maintenance.ts';
import { type Registration, startRegistration, withUploadTime } from '../registration.ts';

const narrow: Schema = {
  type: 'struct',
  fields: [
    { id: 1, name: 'id', required: true, type: 'int' },
    { id: 2, name: 'name', required: false, type: 'string' },
  ],
};
const wide: Schema = {
  type: 'struct',
  fields: [
    { id: 1, name: 'id', required: true, type: 'long' },
    { id: 2, name: 'label', required: false, type: 'string' },
    { id: 3, name: 'added', required: false, type: 'string' },
  ],
};
const segment = (from: number, of = narrow) =>
  writeParquet(
    of,
    Array.from({ length: 5 }, (_, i) => ({
      id: of === wide ? BigInt(from + i) : from + i,
      name: `n${from + i}`,
      label: `n${from + i}`,
      added: null,
    })),
  );
const key = (name: string, dataset = 'orders') => `thadam/v1/plant/${dataset}/${name}.parquet`;
const nothingFailed = { batchItemFailures: [] };

let registration: Registration;
beforeEach(async () => {
  registration = await startRegistration();
});
afterEach(() => registration.close());

const orders = async (): Promise<TableState> => {
  const state = await registration.table('orders');
  if (state === undefined) throw new Error('no table "orders"');
  return state;
};

/** The live data files of `main`, from the manifests themselves. */
function dataFiles(state: TableState): readonly string[] {
  const head = branchHead(state, 'main');
  const bytesOf = (uri: string) => {
    const [, bucket = '', objectKey = ''] = /^s3:\/\/([^/]+)\/(.*)$/.exec(uri) ?? [];
    return registration.stack.objects.get(bucket, objectKey)?.bytes ?? Buffer.alloc(0);
  };
  if (head?.manifestList === undefined) return [];
  return manifestFiles(readManifestList(bytesOf(head.manifestList), head.manifestList))
    .flatMap(({ manifestPath }) => [...readManifestEntries(bytesOf(manifestPath), manifestPath)])
    .map(({ filePath }) => filePath);
}

describe('registerMessages: from notification to snapshot', () => {
  test("creates a table and its first snapshot from a notification, with the segment's own field IDs (I5)", async () => {
    const uploaded = registration.upload(key('a'), segment(1));
    expect(await registration.deliver([uploaded])).toEqual(nothingFailed);
    const state = await orders();
    expect(state.currentSchema.fields.map(({ id, name, type }) => [id, name, type])).toEqual([
      [1, 'id', 'int'],
      [2, 'name', 'string'],
    ]);
    expect(state.location).toBe('s3://lake/in/thadam/v1/plant/orders');
    expect(dataFiles(state)).toEqual([`s3://lake/${uploaded.key}`]);
    expect(branchHead(state, 'main')?.summary).toMatchObject({
      operation: 'append',
      'added-data-files': '1',
      'added-records': '5',
      'total-records': '5',
      'iceberg-registrar.segments': `["a.parquet#${uploaded.eTag}"]`,
      'iceberg-registrar.oldest-upload-ms': expect.stringMatching(/^\d{13}$/),
    });
  });

  test('a warm registration costs one GET, two PUTs and one POST', async () => {
    await registration.deliver([registration.upload(key('a'), segment(1))]);
    await registration.deliver([registration.upload(key('b'), segment(6))]);
    registration.requests.length = 0;
    await registration.deliver([registration.upload(key('c'), segment(11))]);
    expect(registration.requests.toSorted()).toEqual(['GET s3', 'POST catalog', 'PUT s3', 'PUT s3']);
    expect(dataFiles(await orders()).length).toBe(3);
  });

  test('a warm registration waits for three round trips: the footer, both PUTs in parallel, the commit', async () => {
    await registration.deliver([registration.upload(key('a'), segment(1))]);
    await registration.deliver([registration.upload(key('b'), segment(6))]);
    const events: string[] = [];
    const noted =
      <A extends readonly unknown[], T>(call: string, of: (...args: A) => Promise<T>) =>
      async (...args: A): Promise<T> => {
        events.push(`${call} begins`);
        return of(...args).finally(() => events.push(`${call} ends`));
      };
    registration.around = ({ store, catalog, ...services }) => ({
      ...services,
      store: { ...store, read: noted('read', store.read), write: noted('write', store.write) },
      catalog: {
        ...catalog,
        load: noted('load', catalog.load),
        commit: noted('commit', catalog.commit),
        supports: noted('supports', catalog.supports),
      },
    });
    await registration.deliver([registration.upload(key('c'), segment(11))]);
    const sideBySide = ['write begins', 'write begins', 'write ends', 'write ends'];
    expect(events).toEqual(['read begins', 'read ends', ...sideBySide, 'commit begins', 'commit ends']);
  });

  test('several segments of a batch are one snapshot; two tables are two', async () => {
    const records = ['a', 'b', 'c'].map((name, i) => registration.upload(key(name), segment(i * 5)));
    const other = registration.upload(key('x', 'events'), segment(1));
    await registration.deliver(records.slice(0, 2), [...records.slice(2), other]);
    expect((await orders()).snapshots.size).toBe(1);
    expect(dataFiles(await orders()).length).toBe(3);
    expect((await registration.table('events'))?.snapshots.size).toBe(1);
  });

  test('segments whose footers do not fit in memory together are all registered, in rounds', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const records = names.map((name, i) => registration.upload(key(name), segment(i * 5)));
    const references = records.map(
      ({ key: objectKey }) => ({ scheme: 's3', bucket: 'lake', key: objectKey }) as const,
    );
    const ports = { ...registration.ports, maxFooterMemoryBytes: 1 };
    const { outcomes, registrations } = await register(references, ports, () => 60_000);
    expect(outcomes.map(({ kind }) => kind)).toEqual(names.map(() => 'committed'));
    expect(registrations.length).toBe(5);
    expect(dataFiles(await orders()).length).toBe(5);
  });

  test('messages that cannot be registered in the time left are returned, not begun (I3)', async () => {
    const record = registration.upload(key('a'), segment(1));
    const reference = { scheme: 's3', bucket: 'lake', key: record.key } as const;
    const { outcomes } = await register([reference], registration.ports, () => 2_000);
    expect(outcomes).toEqual([expect.objectContaining({ kind: 'failed' })]);
    expect((await registration.table('orders'))?.snapshots.size ?? 0).toBe(0);
  });

  test('a schema change and its append are one commit (I4)', async () => {
    await registration.deliver([registration.upload(key('a'), segment(1))]);
    const before = await orders();
    await registration.deliver([registration.upload(key('b'), segment(2 ** 33, wide))]);
    const after = await orders();
    expect(after.snapshots.size - before.snapshots.size).toBe(1);
    expect(after.currentSchema.fields.map(({ id, name, type }) => [id, name, type])).toEqual([
      [1, 'id', 'long'],
      [2, 'label', 'string'],
      [3, 'added', 'string'],
    ]);
    expect(branchHead(after, 'main')?.schemaId).toBe(after.currentSchema['schema-id']);
  });
});

describe('registerMessages: partitioned tables', () => {
  test('the partition comes from footer or key; a segment that spans partitions is quarantined and adds no columns (A32)', async () => {
    await registration.close();
    registration = await startRegistration({ partition_by: ['name'], layout: '{url}/{dataset}/…' });
    const one = (name: string) =>
      writeParquet(
        narrow,
        [1, 2].map((id) => ({ id, name })),
      );
    const two = writeParquet(
      wide,
      ['a', 'b'].map((label) => ({ id: 1n, label, added: null })),
    );
    await registration.deliver([registration.upload('orders/x.parquet', one('eu'))]);
    await registration.deliver([
      registration.upload('orders/y.parquet', one('us')),
      registration.upload('orders/name=eu/z.parquet', one('eu')),
      registration.upload('orders/both.parquet', two),
    ]);
    expect(quarantined()).toEqual(['sink.iceberg_partition_undetermined']);
    const state = await orders();
    expect(state.defaultSpec.fields.map(({ name, transform }) => [name, transform])).toEqual([
      ['name', 'identity'],
    ]);
    expect(state.currentSchema.fields.map(({ name }) => name)).toEqual(['id', 'name']);
    expect(branchHead(state, 'main')?.summary).toMatchObject({
      'total-data-files': '3',
      'changed-partition-count': '2',
    });
  });
});

describe('registerMessages: a segment that is refused (C23)', () => {
  test('for what it claims to hold adds nothing to a v3 table, and others go on', async () => {
    await registration.close();
    registration = await startRegistration({ format_version: 3 });
    const claims = (rows: number) =>
      flatFile([{ name: 'id', physical: 1 }], [{ rows, statistics: [undefined] }]);
    await registration.deliver([
      registration.upload(key('huge'), claims(2 ** 62)),
      registration.upload(key('good'), claims(3)),
    ]);
    expect(quarantined()).toEqual(['segment.inconsistent']);
    expect((await orders()).nextRowId).toBe(3n);
  });

  test('for its partition does not define the table', async () => {
    await registration.close();
    registration = await startRegistration({ partition_by: ['name'], layout: '{url}/{dataset}/…' });
    const spread = writeParquet(
      narrow,
      ['eu', 'us'].map((name) => ({ id: 1, name })),
    );
    const other = schema(required(1, 'id', 'string'), optional(2, 'name', 'string'));
    const good = writeParquet(other, [{ id: 'a', name: 'eu' }]);
    await registration.deliver([registration.upload('orders/spread.parquet', spread)]);
    await registration.deliver([registration.upload('orders/good.parquet', good)]);
    expect(quarantined()).toEqual(['sink.iceberg_partition_undetermined']);
    expect((await orders()).currentSchema.fields.map(({ type }) => type)).toEqual(['string', 'string']);
  });

  test.each([
    ['fixed', { physical: 7, typeLength: 4 }],
    ['geometry', { physical: 6, logical: thriftStruct({ 17: thriftStruct({}) }) }],
  ])('for the type of its partition column (%s) does not define the table', async (_type, column) => {
    await registration.close();
    registration = await startRegistration({
      partition_by: ['name'],
      layout: '{url}/{dataset}/…',
      format_version: 3,
    });
    const bad = flatFile(
      [
        { name: 'id', physical: 1 },
        { name: 'name', ...column },
      ],
      [{ rows: 3, statistics: [{ nulls: 0 }, { nulls: 3 }] }],
    );
    const good = writeParquet(narrow, [{ id: 1, name: 'eu' }]);
    expect(await registration.deliver([registration.upload('orders/bad.parquet', bad)])).toEqual(
      nothingFailed,
    );
    await registration.deliver([registration.upload('orders/good.parquet', good)]);
    expect(quarantined()).toEqual(['sink.iceberg_partition_undetermined']);
    expect((await orders()).snapshots.size).toBe(1);
  });
});

describe('registerMessages: exactly once (I2)', () => {
  test('a redelivery is recognised, by a warm container without a commit and by a cold one too', async () => {
    const uploaded = registration.upload(key('a'), segment(1));
    await registration.deliver([uploaded]);
    registration.requests.length = 0;
    expect(await registration.deliver([uploaded], [uploaded])).toEqual(nothingFailed);
    // A state kept warm may be older than a rollback: only one loaded now says that a segment is there.
    expect(registration.requests.toSorted()).toEqual(['GET catalog', 'GET s3']);
    await registration.coldStart();
    expect(await registration.deliver([uploaded])).toEqual(nothingFailed);
    expect((await orders()).snapshots.size).toBe(1);
    expect(dataFiles(await orders()).length).toBe(1);
  });

  test('after a rollback a warm container registers what is delivered again', async () => {
    await registration.deliver([registration.upload(key('a'), segment(1))]);
    const first = branchHead(await orders(), 'main')?.snapshotId ?? 0n;
    const second = registration.upload(key('b'), segment(6));
    await registration.deliver([second]);
    registration.stack.tables.commit(
      { namespace: ['lake'], name: 'orders' },
      {
        requirements: [],
        updates: [{ action: 'set-snapshot-ref', 'ref-name': 'main', type: 'branch', 'snapshot-id': first }],
      },
    );
    expect(await registration.deliver([second])).toEqual(nothingFailed);
    expect(dataFiles(await orders()).length).toBe(2);
  });

  test('an answer that is lost after the commit took effect is settled by loading the table (I7)', async () => {
    await registration.deliver([registration.upload(key('a'), segment(1))]);
    let lost = 0;
    registration.fault = (request) => {
      if (!/\/tables\/orders$/.test(request.path) || request.method !== 'POST' || lost > 0) return undefined;
      lost += 1;
      return { when: 'after', answer: { status: 502, body: '<html>Bad Gateway</html>' } };
    };
    expect(await registration.deliver([registration.upload(key('b'), segment(6))])).toEqual(nothingFailed);
    expect(lost).toBe(1);
    expect((await orders()).snapshots.size).toBe(2);
    expect(dataFiles(await orders()).length).toBe(2);
  });

  test('two containers on one table: the conflict is staged again, nothing is lost or doubled (I8)', async () => {
    await registration.deliver([registration.upload(key('a'), segment(1))]);
    const first = registration.ports;
    await registration.coldStart();
    await registration.deliver([registration.upload(key('b'), segment(6))]);
    expect(registration.ports).not.toBe(first);
    const records = ['c', 'd', 'e', 'f'].map((name, i) =>
      registration.upload(key(name), segment(20 + i * 5)),
    );
    await Promise.all(records.map((record) => registration.deliver([record])));
    expect(new Set(dataFiles(await orders())).size).toBe(6);
    expect(dataFiles(await orders()).length).toBe(6);
  });

  test('a key with replaced contents is quarantined; a key with the same contents uploaded again is not', async () => {
    const uploaded = registration.upload(key('a'), segment(1));
    await registration.deliver([uploaded]);
    await registration.deliver([registration.upload(key('a'), segment(1))]);
    expect(quarantined()).toEqual([]);
    await registration.deliver([registration.upload(key('a'), segment(100_000))]);
    expect(quarantined()).toEqual(['segment.replaced']);
    expect(dataFiles(await orders()).length).toBe(1);
  });

  test.each(['checked', 'by_name'])(
    'the same contents under another ETag are acknowledged as uploaded again (field_ids: %s)',
    async (field_ids) => {
      await registration.close();
      registration = await startRegistration({ field_ids });
      const bytes = field_ids === 'by_name' ? plainFile(narrow, [{ id: 1, name: 'n1' }]) : segment(1);
      const uploaded = registration.upload(key('a'), bytes);
      await registration.deliver([uploaded]);
      registration.around = ({ store, ...services }) => ({
        ...services,
        store: {
          ...store,
          async read(uri, options) {
            const read = await store.read(uri, options);
            const isSegment = read.kind === 'object' && uri.endsWith(uploaded.key);
            return isSegment ? { ...read, version: 'of-a-multipart-upload-2' } : read;
          },
        },
      });
      expect(await registration.deliver([uploaded])).toEqual(nothingFailed);
      expect(registration.log.findLast(({ event }) => event === 'registered')).toMatchObject({
        're-uploaded': 1,
      });
      expect(quarantined()).toEqual([]);
      expect(dataFiles(await orders()).length).toBe(1);
    },
  );

  test('contents of the same size and row count, but other metrics, count as replaced', async () => {
    const one = segment(1);
    const two = segment(2);
    expect(two.length).toBe(one.length);
    await registration.deliver([registration.upload(key('a'), one)]);
    await registration.deliver([registration.upload(key('a'), two)]);
    expect(quarantined()).toEqual(['segment.replaced']);
  });

  test('metrics are also compared for segments without field IDs, whose columns are found by name', async () => {
    await registration.close();
    registration = await startRegistration({ field_ids: 'by_name' });
    const plain = (from: number) => plainFile(narrow, [{ id: from, name: `n${from}` }]);
    await registration.deliver([registration.upload(key('a'), plain(1))]);
    await registration.deliver([registration.upload(key('a'), plain(1))]);
    expect(quarantined()).toEqual([]);
    await registration.deliver([registration.upload(key('a'), plain(2))]);
    expect(quarantined()).toEqual(['segment.replaced']);
  });

  test('with copies: quarantine a copy is quarantined, and a redelivered segment is recognised', async () => {
    await registration.close();
    registration = await startRegistration({ copies: 'quarantine' });
    const first = registration.upload(key('a'), segment(1));
    await registration.deliver([first]);
    const copied = registration.upload(key('b'), segment(6));
    const chunk = (record: { key: string; eTag: string }) =>
      JSON.stringify({
        v: 1,
        segments: [{ bucket: 'lake', key: record.key, etag: record.eTag, copied: true }],
      });
    expect(await registration.deliver(chunk(copied), chunk(first))).toEqual(nothingFailed);
    expect(quarantined()).toEqual(['registration.unprovable']);
    expect(dataFiles(await orders()).length).toBe(1);
  });

  test('each commit logs how far back absence can be proven, as a warning if messages wait half as long', async () => {
    const history = () => registration.log.findLast(({ event }) => event === 'committed')?.['provableSince'];
    await registration.deliver([registration.upload(key('a'), segment(1))]);
    await registration.deliver([registration.upload(key('b'), segment(6))]);
    expect(history()).toBe('beginning');
    await expireOldest(registration, 'orders', 1);
    const since = Number(branchHead(await orders(), 'main')?.timestampMs) + 15 * 60_000;
    registration.sentMs = Date.now() - 60_000;
    registration.around = withUploadTime(Date.now() + 3_600_000);
    await registration.deliver([registration.upload(key('c'), segment(11))]);
    expect(history()).toBe(new Date(since).toISOString());
    expect(registration.log).toContainEqual(
      expect.objectContaining({ event: 'history-short', table: 'lake.orders' }),
    );
  });

  test("a file in the table's own paths is not a segment (I11)", async () => {
    await registration.deliver([registration.upload(key('a'), segment(1))]);
    const compacted = registration.upload('thadam/v1/plant/orders/data/compacted.parquet', segment(1));
    expect(await registration.deliver([compacted])).toEqual(nothingFailed);
    expect(dataFiles(await orders()).length).toBe(1);
  });

  test("a segment written with Iceberg's own library can be the first of a table too (A2)", async () => {
    const shipped = registration.upload(key('part-0'), engineFile(narrow, [{ id: 1, name: 'a' }]));
    expect(await registration.deliver([shipped])).toEqual(nothingFailed);
    expect(dataFiles(await orders())).toEqual([`s3://lake/${shipped.key}`]);
  });
});

describe('registerMessages: bad input, nothing lost, nothing acknowledged early (I3, I9)', () => {
  test('a segment that does not fit is refused, quarantined, and the table stays as it was', async () => {
    await registration.deliver([registration.upload(key('a'), segment(1, wide))]);
    const before = await orders();
    const other: Schema = { type: 'struct', fields: [{ id: 1, name: 'id', required: true, type: 'string' }] };
    const bad = registration.upload(key('b'), writeParquet(other, [{ id: 'x' }]));
    const good = registration.upload(key('c'), segment(50, wide));
    expect(await registration.deliver([bad])).toEqual(nothingFailed);
    expect(await orders()).toEqual(before);
    expect(await registration.deliver([bad, good])).toEqual(nothingFailed);
    expect(quarantined()).toEqual(['sink.iceberg_schema_mismatch', 'sink.iceberg_schema_mismatch']);
    expect(dataFiles(await orders()).length).toBe(2);
  });

  test.each([
    ['not Parquet', Buffer.from('id,name\n1,a\n'), 'segment.unreadable'],
    ['cut short', Buffer.from(segment(1)).subarray(0, 200), 'segment.unreadable'],
    ['empty', Buffer.alloc(0), 'segment.unreadable'],
  ])('a segment that is %s is quarantined and its group goes on', async (name, bytes, code) => {
    const bad = registration.upload(key('bad'), bytes);
    const good = registration.upload(key('good'), segment(1));
    expect(await registration.deliver([bad], [good])).toEqual(nothingFailed);
    expect(quarantined(), name).toEqual([code]);
    expect(dataFiles(await orders())).toEqual([`s3://lake/${good.key}`]);
  });

  test('an object that is gone is acknowledged', async () => {
    const good = registration.upload(key('a'), segment(1));
    expect(await registration.deliver([{ key: `in/${key('gone')}`, size: 10, eTag: 'e' }, good])).toEqual(
      nothingFailed,
    );
    expect(dataFiles(await orders()).length).toBe(1);
    expect(quarantined()).toEqual([]);
  });

  test('a key that belongs to no dataset is acknowledged and counted', async () => {
    const stray = registration.upload('elsewhere/x.parquet', segment(1));
    expect(await registration.deliver([stray])).toEqual(nothingFailed);
    expect(registration.log).toContainEqual(expect.objectContaining({ event: 'registered', unroutable: 1 }));
  });

  test('a message that is not a notification is quarantined with its body', async () => {
    const good = registration.upload(key('a'), segment(1));
    expect(await registration.deliver('this is not JSON', '{"hello":1}', [good])).toEqual(nothingFailed);
    expect(quarantined()).toEqual(['event.malformed', 'event.malformed']);
    expect(registration.log).toContainEqual(
      expect.objectContaining({ event: 'event.rejected', count: 2, quarantined: 2 }),
    );
    expect(dataFiles(await orders()).length).toBe(1);
  });

  test('a catalog that is down fails the messages, and the rest of their group (I6)', async () => {
    const uploaded = registration.upload(key('a'), segment(1));
    registration.fault = (request) =>
      request.path.startsWith('/v1/') ? { when: 'before', answer: { status: 503, body: 'down' } } : undefined;
    expect(await registration.deliver([uploaded], 'this is not JSON')).toEqual({
      batchItemFailures: [{ itemIdentifier: 'm1' }, { itemIdentifier: 'm2' }],
    });
    expect(failures()).toEqual(['catalog.unavailable']);
    registration.fault = undefined;
    expect(await registration.deliver([uploaded])).toEqual(nothingFailed);
    expect(dataFiles(await orders()).length).toBe(1);
  });

  test('messages for a missing table are returned to the queue when the registrar may not create it', async () => {
    await registration.close();
    registration = await startRegistration({ create_table: false });
    const uploaded = registration.upload(key('a'), segment(1));
    expect(await registration.deliver([uploaded])).toEqual({ batchItemFailures: [{ itemIdentifier: 'm1' }] });
    expect(failures()).toEqual(['table.missing']);
  });

  test('a quarantine that cannot be written fails the message, and the log says why', async () => {
    const bad = registration.upload(key('bad'), Buffer.from('id\n1'));
    registration.fault = (request) =>
      request.path.includes('/quarantine/')
        ? { when: 'before', answer: { status: 403, body: '<Error><Code>AccessDenied</Code></Error>' } }
        : undefined;
    expect((await registration.deliver([bad])).batchItemFailures.length).toBe(1);
    expect(failures()).toEqual(['auth.failed']);
    registration.receiveCount = 10;
    expect((await registration.deliver([bad])).batchItemFailures.length).toBe(1);
    expect(failures(), 'also where each segment is tried alone').toEqual(['auth.failed', 'auth.failed']);
  });

  test('with on_segment_error: stop the log says what keeps the message in the queue', async () => {
    await registration.close();
    registration = await startRegistration({ on_segment_error: 'stop' });
    const bad = ['bad', 'worse'].map((name) => registration.upload(key(name), Buffer.from('id\n1')));
    expect((await registration.deliver(bad)).batchItemFailures.length).toBe(1);
    expect(registration.log.filter(({ event }) => event === 'table-failed')).toEqual([
      expect.objectContaining({ table: 'lake.orders', segments: 2 }),
    ]);
    expect(failures()).toEqual(['segment.unreadable']);
  });

  test('an invocation that ends during a read says so in the log', async () => {
    registration.remainingMs = 1_600;
    registration.around = (services) => ({
      ...services,
      store: { ...services.store, read: () => new Promise<never>(() => undefined) },
    });
    expect(
      (await registration.deliver([registration.upload(key('a'), segment(1))])).batchItemFailures.length,
    ).toBe(1);
    expect(failures()).toEqual(['invocation.timeout']);
  });

  test('a chunk message of a newer version is left for a newer registrar', async () => {
    expect(await registration.deliver('{"v":2,"segments":[]}')).toEqual({
      batchItemFailures: [{ itemIdentifier: 'm1' }],
    });
  });

  test('a table that failed in one invocation is registered in the next', async () => {
    const uploaded = registration.upload(key('a'), segment(1));
    registration.fault = () => ({ when: 'before', answer: 'reset' });
    expect((await registration.deliver([uploaded])).batchItemFailures.length).toBe(1);
    registration.fault = undefined;
    expect(await registration.deliver([uploaded])).toEqual(nothingFailed);
  });
});

/** Codes in quarantine, from the objects themselves. */
function quarantined(): readonly string[] {
  return registration.stack.objects
    .list('lake', { prefix: 'quarantine/', delimiter: '', after: '', max: 1000 })
    .objects.map(({ bytes }) => String(JSON.parse(bytes.toString('utf8'))['code']))
    .toSorted();
}

function failures(): readonly string[] {
  return registration.log
    .filter(({ event }) => event === 'table-failed')
    .map(({ error }) => (error as { code: string }).code);
}
