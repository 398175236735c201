import { execFile } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { planJson, planText } from '../../../cli/plan/plan-report.ts';
import { plan } from '../../../lib/jobs/plan/plan.ts';
import { parseJson, stringifyJson } from '../../../lib/spec/json.ts';
import type { Schema } from '../../../lib/spec/schema.ts';
import type { TableCommit } from '../../../lib/spec/table-update.ts';
import { optional, required, schema } from '../../../local/shipper/schema-notation.ts';
import { writeParquet } from '../../../local/shipper/segment.ts';
import { type Registration, type S3Record, startRegistration } from '../registration.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const first = schema(required(1, 'id', 'int'), optional(2, 'name', 'string'));
const second = schema(
  required(1, 'id', 'long'),
  optional(2, 'label', 'string'),
  optional(3, 'note', 'string'),
);
const narrowed = schema(required(1, 'id', 'int'), optional(2, 'title', 'string'));

const file = (shape: Schema, id: number, text = 'x') =>
  writeParquet(shape, [
    { id: shape === second ? BigInt(id) : id, name: text, label: text, title: text, note: null },
  ]);
const key = (name: string) => `thadam/v1/plant/orders/${name}.parquet`;
const chunk = (...records: readonly S3Record[]) => ({
  v: 1,
  segments: records.map((record) => ({ bucket: 'lake', key: record.key })),
});

let registration: Registration;
beforeEach(async () => {
  registration = await startRegistration();
});
afterEach(() => registration.close());

const planned = (event: unknown) => plan(event, registration.ports);

/** What is there, byte by byte, and what the catalog says. */
async function world() {
  const { objects } = registration.stack.objects.list('lake', {
    prefix: '',
    delimiter: '',
    after: '',
    max: 1000,
  });
  return {
    objects: objects.map((object) => [object.key, object.etag]),
    table: await registration.table('orders'),
  };
}

const newEachTime = ['snapshot-id', 'parent-snapshot-id', 'timestamp-ms', 'manifest-list'];

/** A commit without what is made anew each time: IDs, file names, times. */
function lasting({ requirements, updates }: TableCommit): unknown {
  const text = stringifyJson({ requirements, updates });
  return JSON.parse(text, (name, value: unknown) => (newEachTime.includes(name) ? 'new' : value));
}

describe('plan: nothing is done', () => {
  test.each([
    ['a table is there', true],
    ['there is none', false],
  ])('no PUT, no POST and no DELETE leaves the process when %s', async (_, exists) => {
    if (exists) await registration.deliver([registration.upload(key('a'), file(first, 1))]);
    const misfit = registration.upload(key('c'), Buffer.from('no Parquet'));
    const event = chunk(registration.upload(key('b'), file(second, 2)), misfit);
    const before = await world();
    registration.requests.length = 0;
    const { outcomes, files } = await planned(event);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['committed', 'quarantined']);
    expect(files.length).toBe(exists ? 2 : 3);
    expect(registration.requests.length).toBeGreaterThan(0);
    expect(registration.requests.filter((request) => !/^(GET|HEAD) /.test(request))).toEqual([]);
    expect(await world()).toEqual(before);
  });

  test('what was planned is what register then sends, but for what is new each time', async () => {
    await registration.deliver([registration.upload(key('a'), file(first, 1))]);
    const record = registration.upload(key('b'), file(second, 2));
    const { tables, files } = await planned(chunk(record));
    const sent: TableCommit[] = [];
    registration.fault = ({ method, path: where, body }) => {
      if (method === 'POST' && where.endsWith('/tables/orders')) {
        sent.push(parseJson(body.toString('utf8')) as TableCommit);
      }
      return undefined;
    };
    await registration.deliver([record]);
    expect(tables.flatMap(({ commits }) => commits.map(lasting))).toEqual(sent.map(lasting));
    expect(files.map(({ uri }) => uri.replace(/[^/]+$/, ''))).toEqual(
      Array(2).fill('s3://lake/in/thadam/v1/plant/orders/metadata/'),
    );
  });
});

describe('plan: what would happen', () => {
  test('a table that is not there: its location, its columns with their IDs, its first commit', async () => {
    const { tables } = await planned(chunk(registration.upload(key('a'), file(first, 1))));
    expect(tables).toMatchObject([
      {
        table: 'lake.orders',
        created: { location: 's3://lake/in/thadam/v1/plant/orders', formatVersion: 2 },
        schemaChanges: ['+ id (1): int', '+ name (2): string'],
      },
    ]);
    expect(tables[0]?.commits[0]?.updates.map(({ action }) => action)).toContain('add-snapshot');
  });

  test.each([
    ['register', 1],
    ['commit', 2],
    ['create', 1],
  ])('create_via: %s plans the same table, with %i commits', async (create_via, commits) => {
    await registration.close();
    registration = await startRegistration({ create_via, format_version: 3, partition_by: ['name'] });
    const { tables, outcomes } = await planned(chunk(registration.upload(key('a'), file(first, 1))));
    expect(outcomes.map(({ kind }) => kind)).toEqual(['committed']);
    expect(tables[0]?.created).toMatchObject({
      formatVersion: 3,
      location: 's3://lake/in/thadam/v1/plant/orders',
      currentSchema: { fields: first.fields },
      defaultSpec: { fields: [{ name: 'name' }] },
    });
    expect(tables[0]?.commits).toHaveLength(commits);
  });

  test('table_location: catalog: the table is planned without one', async () => {
    await registration.close();
    registration = await startRegistration({ table_location: 'catalog' });
    const { tables, outcomes } = await planned(chunk(registration.upload(key('a'), file(first, 1))));
    expect(outcomes.map(({ kind }) => kind)).toEqual(['committed']);
    expect(tables[0]?.created?.location).toBe('(where the catalog puts it)');
  });

  test('on_segment_error: stop: what would be held up says why', async () => {
    await registration.close();
    registration = await startRegistration({ on_segment_error: 'stop' });
    const { outcomes } = await planned(chunk(registration.upload(key('a'), Buffer.from('no Parquet'))));
    expect(outcomes).toMatchObject([{ kind: 'failed', error: { code: 'segment.unreadable' } }]);
  });

  test('a half-made table: the commit that finishes it, then the one that appends', async () => {
    await registration.close();
    registration = await startRegistration({ create_via: 'create' });
    const ids = schema(required(7, 'id', 'int'), optional(9, 'name', 'string'));
    const record = registration.upload(key('a'), file(ids, 1));
    registration.fault = ({ method, path: where }) =>
      method === 'POST' && where.endsWith('/tables/orders')
        ? { when: 'before', answer: { status: 503, body: '' } }
        : undefined;
    await registration.deliver([record]);
    registration.fault = undefined;
    expect((await registration.table('orders'))?.currentSchema.fields.map(({ id }) => id)).toEqual([1, 2]);
    const { tables, outcomes } = await planned(chunk(record));
    expect(outcomes.map(({ kind }) => kind)).toEqual(['committed']);
    expect(tables[0]?.created).toBeUndefined();
    expect(tables[0]?.commits.map(({ updates }) => updates[0]?.action)).toEqual([
      'add-schema',
      'set-properties',
    ]);
  });

  test('the schema difference: promoted, renamed, added, relaxed, with IDs', async () => {
    await registration.deliver([registration.upload(key('a'), file(first, 1))]);
    const without = writeParquet(schema(optional(2, 'label', 'string')), [{ label: 'x' }]);
    const { tables } = await planned(
      chunk(registration.upload(key('b'), file(second, 2)), registration.upload(key('c'), without)),
    );
    expect(tables[0]?.schemaChanges).toEqual([
      '~ id (1): int → long',
      '~ id (1): required → optional',
      '~ label (2): renamed from name',
      '+ note (3): string',
    ]);
  });

  test('the partition of each segment, refusals with code and message, registered and ignored ones', async () => {
    await registration.close();
    registration = await startRegistration({ partition_by: ['name'] });
    const registered = registration.upload(key('a'), file(first, 1, 'eu'));
    await registration.deliver([registered]);
    const both = writeParquet(first, [
      { id: 1, name: 'eu' },
      { id: 2, name: 'us' },
    ]);
    const report = planJson(
      await planned(
        chunk(
          registered,
          registration.upload(key('b'), file(first, 2, 'us')),
          registration.upload(key('both'), both),
          { key: `in/${key('gone')}`, size: 1, eTag: 'e' },
        ),
      ),
    );
    expect(report).toMatchObject({
      segments: [
        { would: 'skip', registeredIn: expect.any(BigInt) },
        { would: 'register', partition: { name: '"us"' }, table: 'lake.orders' },
        {
          would: 'quarantine',
          code: 'sink.iceberg_partition_undetermined',
          message: expect.stringContaining('name'),
        },
        { would: 'ignore', reason: 'missing' },
      ],
    });
  });

  test('a narrowing is refused as register refuses it, and no table is listed', async () => {
    await registration.deliver([registration.upload(key('a'), file(second, 1))]);
    // Last-Modified has seconds, and uploads of one second have no order.
    await sleep(1_100);
    const { tables, outcomes } = await planned(chunk(registration.upload(key('b'), file(narrowed, 1))));
    expect(outcomes).toMatchObject([
      { kind: 'quarantined', error: { code: 'sink.iceberg_schema_mismatch' } },
    ]);
    expect([tables, planText({ tables, outcomes, ignored: [], rejected: [], files: [] })]).toEqual([
      [],
      expect.stringMatching(
        /refused +s3:.*\n +sink\.iceberg_schema_mismatch: Cannot append.*\n +- column "id" \(1\)/,
      ),
    ]);
  });

  test('what would be delivered again says why', async () => {
    await registration.close();
    registration = await startRegistration({ create_table: false });
    const { outcomes } = await planned(chunk(registration.upload(key('a'), file(first, 1))));
    expect(outcomes).toMatchObject([{ kind: 'failed', error: { code: 'table.missing' } }]);
  });
});

describe('plan: the command', () => {
  test.each([
    ['events/s3-put.json', 0],
    ['events/s3-mixed-batch.json', 3],
  ])('%s without configuration plays on an embedded stack and exits with %i', async (event, exitCode) => {
    const ran = await run(event, '--json');
    expect(ran.exitCode).toBe(exitCode);
    expect(parseJson(ran.stdout)).toMatchObject({
      segments: [{ would: 'register' }, ...(exitCode === 3 ? [{}] : [])],
    });
  });

  test('s3://… with REGISTRAR_CONFIG: 0 when it would be registered, 4 once it is, 3 when it is refused, 1 when it cannot be told', async () => {
    const config = JSON.stringify({
      url: 's3://lake/in',
      catalog_uri: registration.stack.catalogUri,
      namespace: 'lake',
      create_table: true,
      store: {
        endpoint: registration.stack.s3Endpoint,
        region: 'us-east-1',
        allow_http: true,
        access_key_id: 'local',
        secret_access_key: 'local-secret',
      },
    });
    const uri = (record: S3Record) => `s3://lake/${record.key}`;
    const good = registration.upload(key('a'), file(first, 1));
    const exits: number[] = [];
    const exit = async (what: string) => exits.push((await run(what, '--json', config)).exitCode);
    await exit(uri(good));
    await registration.deliver([good]);
    await exit(uri(good));
    await exit(uri(registration.upload(key('b'), Buffer.from('no Parquet'))));
    registration.fault = ({ path: where }) =>
      where.startsWith('/v1/') ? { when: 'before', answer: { status: 503, body: '' } } : undefined;
    await exit(uri(registration.upload(key('c'), file(first, 1))));
    expect(exits).toEqual([0, 4, 3, 1]);
  });
});

async function run(what: string, flag: string, config?: string) {
  const { REGISTRAR_CONFIG: _, ...env } = process.env;
  const args = [path.join(root, 'cli/main.mjs'), 'plan', what, flag];
  const options = { cwd: root, env: { ...env, ...(config !== undefined && { REGISTRAR_CONFIG: config }) } };
  try {
    return { exitCode: 0, ...(await promisify(execFile)(process.execPath, args, options)) };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { exitCode: code, stdout, stderr };
  }
}
