import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeParquet } from '../../local/shipper/segment.ts';
import { type Registration, startRegistration } from '../jobs/registration.ts';
import { runCli } from './run.ts';

const key = (name: string) => `thadam/v1/plant/orders/${name}.parquet`;
const bytes = (id: number) =>
  writeParquet({ type: 'struct', fields: [{ id: 1, name: 'id', required: true, type: 'int' }] }, [{ id }]);

let registration: Registration;
beforeAll(async () => {
  registration = await startRegistration();
  await registration.deliver([
    registration.upload(key('a'), bytes(1)),
    registration.upload(key('bad'), bytes(2)),
  ]);
  registration.upload(key('lost'), bytes(3));
});
afterAll(() => registration.close());

const run = (...args: readonly string[]) => runCli(args, registration.environment);

describe('reconcile on the command line', () => {
  test('shows what is missing and exits 3; registers it where asked', async () => {
    const shown = await run('reconcile', '--grace', '0');
    expect(shown).toMatchObject({ status: 3, stderr: '' });
    expect(shown.stdout).toContain(
      `missing  s3://lake/in/${key('lost')}\n    reconcile --enqueue sends them`,
    );
    const { status, stdout } = await run(
      'reconcile',
      '--dataset',
      'orders',
      '--grace',
      '0',
      '--register',
      '--json',
    );
    expect(status).toBe(0);
    expect(JSON.parse(stdout).reconciled).toEqual([expect.objectContaining({ done: { committed: 1 } })]);
    expect((await run('reconcile', '--grace', '0')).status).toBe(0);
  });

  test.each([
    [['--dataset', 'orderz'], 'Cannot compare dataset "orderz": no segment of it lies below "s3://lake/in"'],
    [['--grace', 'soon'], 'it must be a number of minutes'],
    [['--since', '30'], 'Cannot understand the time "30"'],
    [['--start-after', 'nope'], 'Cannot resume after "nope": it is no URI below any url'],
    [['--start-after', 's3://lake/other/1.parquet'], '("s3://lake/in")'],
    [['--enqueue', '--register'], "'--enqueue' cannot be used with option '--register'"],
  ])('reconcile %j says what is wrong instead of comparing nothing', async (args, problem) => {
    const { status, stderr } = await run('reconcile', ...args);
    expect(status).toBe(1);
    expect(stderr).toContain(problem);
  });

  test.each([
    [{ REGISTRAR_FROM: '["orderz"]' }, 3, '; "s3://lake/in/thadam/v1/plant/orders/'],
    [{ REGISTRAR_URL: 's3://lake/nowhere' }, 0, 'no dataset found'],
  ])('with %j exits %d: objects that lead to no table are no empty lake', async (wrong, status, says) => {
    const environment = { ...registration.environment, ...wrong };
    const text = await runCli(['reconcile'], environment);
    expect(text).toMatchObject({ status, stdout: expect.stringContaining(says), stderr: '' });
    const json = await runCli(['reconcile', '--json'], environment);
    expect({ status: json.status, stdout: JSON.parse(json.stdout) }).toEqual({
      status,
      stdout: { reconciled: [] },
    });
  });

  test('ends at Ctrl-C with what it has, says where to go on, and exits 130', async () => {
    const { status, stdout, stderr } = await runCli(['reconcile'], registration.environment, (child) => {
      registration.fault = () => {
        child.kill('SIGINT');
        registration.fault = undefined;
        return undefined;
      };
    });
    expect(status).toBe(130);
    expect(stderr).toContain('Stopping after the work under way');
    expect(stdout).toContain("Stopped: resume with --start-after 's3://lake/in/thadam/v1/plant/orders/");
  });
});

describe('repair on the command line', () => {
  test('shows the plan, and carries it out with --yes alone', async () => {
    const uri = `s3://lake/in/${key('bad')}`;
    const before = (await registration.table('orders'))?.snapshots.size ?? 0;
    const planned = await run('repair', uri, '--remove');
    expect(planned).toMatchObject({ status: 0, stdout: expect.stringContaining('1 of 1 entry removed') });
    expect((await registration.table('orders'))?.snapshots.size).toBe(before);
    const { stdout } = await run('repair', uri, '--remove', '--yes', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ table: 'lake.orders', removes: 1 });
    expect((await registration.table('orders'))?.snapshots.size).toBe(before + 1);
    expect((await run('repair', uri, '--remove', '--yes')).status).toBe(4);
    expect((await run('repair', uri)).status).toBe(1);
  });

  test('has nothing to do where the file is what the table says', async () => {
    const { status, stdout } = await run('repair', `s3://lake/in/${key('a')}`, '--replace');
    expect(status).toBe(4);
    expect(stdout).toContain('\nnothing to do: ');
    expect(stdout).not.toContain('--yes');
  });
});
