import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { optional, schema } from '../../local/shipper/schema-notation.ts';
import { writeParquet } from '../../local/shipper/segment.ts';
import { livePaths, ship } from '../jobs/backfill/backfilled.ts';
import { type Registration, startRegistration, uriOf } from '../jobs/registration.ts';
import { runCli } from './run.ts';

let registration: Registration;
let shipped: readonly string[];
beforeAll(async () => {
  registration = await startRegistration();
  shipped = ship(registration, ['a', 'b', 'c', 'd']).map(uriOf);
});
afterAll(() => registration.close());

const run = (...args: readonly string[]) => runCli(['backfill', ...args], registration.environment);

describe('backfill on the command line', () => {
  test('shows what it would do and writes nothing', async () => {
    const { status, stdout } = await run('s3://lake/in', '--dry-run');
    expect(status).toBe(0);
    expect(stdout).toContain('lake.orders (new)  4 segments in 1 snapshot; 4 were read');
    expect(stdout).toContain('Nothing was written.');
    expect(await registration.table('orders')).toBeUndefined();
  });

  test('registers what an inventory names, then the rest by listing; in a pipe nothing is rewritten', async () => {
    const inventory = path.join(tmpdir(), `inventory-${process.pid}.csv`);
    await writeFile(inventory, '"lake","in/thadam/v1/plant/orders/b.parquet"\n"lake","elsewhere/x"\n');
    const first = await run('s3://lake/in', '--from-inventory', inventory, '--json');
    expect(first.status).toBe(0);
    // Six digits: a sum of prices in binary has a tail of noise.
    expect(first.stdout).toMatch(/"dollars": [\d.]{1,12}\n/);
    expect(JSON.parse(first.stdout)).toMatchObject({ listed: 1, done: { committed: 1 } });

    const { status, stdout, stderr } = await run(
      's3://lake/in/thadam/v1/plant/orders/',
      '--commit-size',
      '2',
    );
    expect(status).toBe(0);
    expect(stdout).toContain('lake.orders  3 segments');
    expect(stderr).not.toMatch(/segments a second/);
    expect(await livePaths(registration)).toEqual(shipped);
  });

  test('ends at Ctrl-C with what is under way done, exits 130, and goes on when it is run again', async () => {
    const names = Array.from({ length: 6 }, (_, at) => `stopped-${at}`);
    const more = ship(registration, names).map(uriOf);
    const args = ['s3://lake/in/thadam/v1/plant/orders/', '--commit-size', '1'];
    const stopped = await runCli(['backfill', ...args], registration.environment, (child) => {
      registration.fault = ({ method }) => {
        if (method === 'POST') {
          child.kill('SIGINT');
          registration.fault = undefined;
        }
        return undefined;
      };
    });
    expect(stopped.status).toBe(130);
    expect(stopped.stderr).toContain('Stopping after the work under way');
    expect(stopped.stdout).toContain('Stopped: run the same command again to continue.');
    const done = await livePaths(registration);
    expect(done.length).toBeGreaterThan(shipped.length);
    expect(done.length).toBeLessThan(shipped.length + more.length);
    expect((await run(...args)).status).toBe(0);
    expect((await livePaths(registration)).toSorted()).toEqual([...shipped, ...more].toSorted());
  });

  test('says so where a wrong name leaves nothing to do', async () => {
    const misspelled = await run('s3://lake/in/thadam/v1/plant/orderz');
    expect(misspelled.status).toBe(1);
    expect(misspelled.stderr).toContain('no object below "s3://lake/in/thadam/v1/plant/orderz"');
    const inventory = path.join(tmpdir(), `other-bucket-${process.pid}.csv`);
    await writeFile(inventory, '"other","in/thadam/v1/plant/orders/b.parquet"\n');
    const other = await run('s3://lake/in', '--dry-run', '--from-inventory', inventory);
    expect(other.status).toBe(1);
    expect(other.stderr).toContain(`the inventory "${inventory}" has no object below "s3://lake/in"`);
    registration.upload('thadam/v2/plant/orders/a.parquet', Buffer.from('12345678'));
    const elsewhere = await run('s3://lake/in/thadam/v2');
    expect(elsewhere.status).toBe(1);
    expect(elsewhere.stderr).toMatch(
      /there is no segment among 1 object below .*; check layout, pipeline and from/,
    );
    const sample = await run('s3://lake/in', '--sample', '1');
    expect(sample.status).toBe(1);
    expect(sample.stderr).toContain('--sample is for --dry-run');
  });

  test.each([
    ['nope.csv', 'Cannot read the inventory "nope.csv": there is no such file'],
    ['nope.json', 'Cannot read the inventory "nope.json": there is no such file'],
    ['docs', 'Cannot read the inventory "docs": it is a directory'],
  ])('says what is wrong with %s as an inventory', async (inventory, problem) => {
    const { status, stdout, stderr } = await run('s3://lake/in', '--from-inventory', inventory);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toContain(problem);
  });

  test('exits 3 with a table of what is refused, and 1 for a place that is not configured', async () => {
    registration.upload('thadam/v1/plant/orders/bad.parquet', Buffer.from('id\n1'));
    const { status, stdout } = await run('s3://lake/in');
    expect(status).toBe(3);
    expect(stdout).toContain('segment.unreadable');
    expect(stdout).not.toContain('…');
    const elsewhere = await run('s3://other/in');
    expect(elsewhere.status).toBe(1);
    expect(elsewhere.stderr).toContain('"s3://lake/in"');
    expect((await run('s3://lake/in', '--commit-size', 'many')).stderr).toContain('a whole number above 0');
  });

  test.each([
    ['with --dry-run', ['--dry-run']],
    ['without', []],
  ])('wraps what is refused between words, and breaks lines where they end: %s', async (_, flags) => {
    const column = (type: 'int' | 'string', value: string | number) =>
      writeParquet(schema(optional(1, 'price', type)), [{ price: value }]);
    await registration.deliver([registration.upload('thadam/v1/plant/prices/a.parquet', column('int', 1))]);
    registration.upload('thadam/v1/plant/prices/b.parquet', column('string', 'a'));
    const terminal = 'data:text/javascript,process.stdout.isTTY=true;process.stdout.columns=60';
    const { status, stdout } = await runCli(['backfill', 's3://lake/in/thadam/v1/plant/prices', ...flags], {
      ...registration.environment,
      NODE_OPTIONS: `--import "${terminal}"`,
    });
    expect(status).toBe(3);
    expect(stdout).not.toContain('\\u{a}');
    const rows = stdout.split('\n').filter((line) => /^[│┌├└]/.test(line));
    expect(rows.filter((line) => stripVTControlCharacters(line).length > 60)).toEqual([]);
    const message = rows.map((line) => line.split('│')[3]?.trim() ?? '').filter((part) => part !== '');
    expect(message).toContain('- column "price"');
    expect(message.join(' ')).toContain('as it is - column "price" (1): ');
  });
});
