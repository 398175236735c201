import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { optional, schema } from '../../local/shipper/schema-notation.ts';
import { writeParquet } from '../../local/shipper/segment.ts';
import { type Registration, startRegistration } from '../jobs/registration.ts';
import { runCli } from './run.ts';

let registration: Registration;
let queueUrl: string;
beforeAll(async () => {
  registration = await startRegistration();
  queueUrl = registration.stack.createQueue('registrations', { fifo: true }).url;
  const bad = registration.upload('thadam/v1/plant/orders/bad.parquet', Buffer.from('id,name\n1,a\n'));
  await registration.deliver([bad]);
});
afterAll(() => registration.close());

const run = (...args: readonly string[]) =>
  runCli(['quarantine', ...args], {
    ...registration.environment,
    REGISTRAR_QUEUES__REGISTRATIONS: queueUrl,
  });

describe('quarantine on the command line', () => {
  test('list shows what waits, and why, as lines and as one JSON object', async () => {
    const { status, stdout } = await run('list');
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /^\S+Z {2}waiting {2}segment\.unreadable {2}lake\.orders\n {4}(s3:\/\/lake\/in\/thadam\/v1\/plant\/orders\/bad\.parquet)\n {4}Cannot read "\1" as Parquet: .*\n1 failure\n$/,
    );
    const { failures } = JSON.parse((await run('list', '--json')).stdout);
    expect(failures).toEqual([expect.objectContaining({ state: 'waiting', code: 'segment.unreadable' })]);
  });

  test('acts on nothing that is not named, and says so', async () => {
    const { status, stderr } = await run('redrive');
    expect(status).toBe(1);
    expect(stderr).toContain('--all');
    expect((await run('show', 's3://lake/in/absent.parquet')).status).toBe(1);
  });

  test.each(['redrive', 'discard'])(
    '%s says which of what it was given is not in quarantine',
    async (name) => {
      const { status, stdout, stderr } = await run(name, 's3://lake/in/thadam/v1/plant/orders/bat.parquet');
      expect(status).toBe(1);
      expect(stdout).toBe('');
      expect(stderr).toContain('no open failure of "s3://lake/in/thadam/v1/plant/orders/bat.parquet"');
    },
  );

  test('a code that no failure can have is one that is misspelled', async () => {
    const { status, stderr } = await run('list', '--code', 'segment.unreadble');
    expect(status).toBe(1);
    expect(stderr).toContain('segment.unreadble');
    expect(stderr).toContain('segment.unreadable');
  });

  test('where nothing is of what was asked for, it does not say that quarantine is empty', async () => {
    const { status, stdout } = await run('list', '--code', 'segment.denied');
    expect(status).toBe(0);
    expect(stdout).toBe('no open failure is as asked for; quarantine list, without options, has them all\n');
  });

  test('list breaks a message of several lines where its lines end', async () => {
    const typed = (type: 'int' | 'string', value: string | number) =>
      writeParquet(schema(optional(1, 'id', type)), [{ id: value }]);
    await registration.deliver([registration.upload('thadam/v1/plant/prices/a.parquet', typed('int', 1))]);
    await registration.deliver([
      registration.upload('thadam/v1/plant/prices/b.parquet', typed('string', 'x')),
    ]);
    const { stdout } = await run('list', '--table', 'lake.prices');
    expect(stdout).toMatch(/\n {4}\S.*stays as it is\n {4}- column "id" \(1\): /);
    expect(stdout).not.toContain('\\u{a}');
    await run('discard', '--table', 'lake.prices');
  });

  test('a table is found by its name without the namespace', async () => {
    expect((await run('list', '--table', 'orders')).stdout).toContain('lake.orders');
    const { status, stdout, stderr } = await run('list', '--table', 'order', '--json');
    expect({ status, failures: JSON.parse(stdout).failures }).toEqual({ status: 0, failures: [] });
    expect(stderr).toBe(
      'No record in quarantine is of table "order": there are some of lake.orders, lake.prices\n',
    );
  });

  test('show is to be read, with what to do next; with --json it is one JSON object', async () => {
    const uri = 's3://lake/in/thadam/v1/plant/orders/bad.parquet';
    const { stdout } = await run('show', uri);
    expect(stdout.split('\n')).toEqual([
      expect.stringMatching(`^segment  ${uri}, 12 bytes, ETag "?[0-9a-f]{32}"?$`),
      'table    lake.orders',
      'failed   once',
      '',
      expect.stringMatching(/^\S+Z {2}failure {2}segment\.unreadable$/),
      expect.stringMatching(`^    Cannot read "${uri}" as Parquet: `),
      '',
      expect.stringMatching(/^What to do: upload it again .* \(docs\/quarantine\.md#codes\)$/),
      `    iceberg-registrar quarantine redrive '${uri}'`,
      `    iceberg-registrar quarantine discard '${uri}'`,
      '',
    ]);
    const { records } = JSON.parse((await run('show', uri, '--json')).stdout);
    expect(records).toHaveLength(1);
    const settled = await run('show', 's3://lake/in/thadam/v1/plant/prices/b.parquet');
    expect(settled.stdout).toMatch(/ {2}discarded\n\nNothing is left to do: /);
  });

  test('redrive sends it and answers the failure; show tells the whole story', async () => {
    const { status, stdout } = await run('redrive', '--code', 'segment.unreadable', '--json');
    expect(status).toBe(0);
    expect(JSON.parse(stdout).redriven).toEqual([expect.objectContaining({ sent: true })]);
    const { records } = JSON.parse(
      (await run('show', 's3://lake/in/thadam/v1/plant/orders/bad.parquet', '--json')).stdout,
    );
    expect(records.map(({ record }: { record: { kind: string } }) => record.kind)).toEqual([
      'failure',
      'redriven',
    ]);
    expect((await run('list')).stdout).toContain('nothing is in quarantine');
  });
});
