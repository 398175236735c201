import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Registration, startRegistration } from '../jobs/registration.ts';
import { runCli } from './run.ts';

const QUARANTINE = `s3://lake-of-another-region/${'a-long-folder/'.repeat(8)}quarantine`;

let registration: Registration;
beforeAll(async () => {
  registration = await startRegistration({ quarantine_url: QUARANTINE });
});
afterAll(() => registration.close());

/** A pipe that says it is a terminal with so many columns. */
const terminal = (columns: number) => ({
  NODE_OPTIONS: `--import "data:text/javascript,process.stdout.isTTY=true;process.stdout.columns=${columns}"`,
});

const run = (columns: number | undefined, ...args: readonly string[]) =>
  runCli(args, { ...registration.environment, ...(columns !== undefined && terminal(columns)) });

/** The lines of tables and lists: sentences that stand alone are for the terminal to wrap. */
const rowsOf = (stdout: string): readonly string[] =>
  stripVTControlCharacters(stdout)
    .split('\n')
    .filter((line) => /^[│┌├└]|^[a-z]+ {2}|^ {4}/.test(line));

describe('a table on a terminal', () => {
  test.each([
    [50, ['inspect', 'test/files/pyarrow.parquet']],
    [80, ['inspect', 'test/files/pyarrow.parquet']],
    [40, ['doctor']],
    [60, ['doctor']],
  ])('of %d columns is no wider, and nothing in it is cut: %j', async (columns, args) => {
    const { stdout } = await run(columns, ...args);
    const rows = rowsOf(stdout).filter((line) => !/^registrable/.test(line));
    expect(rows.length).toBeGreaterThan(3);
    expect(rows.filter((line) => line.length > columns)).toEqual([]);
    expect(stdout).not.toMatch(/\S{4}…(?! | *│|$)/m);
  });
});

describe('a table in a file or pipe', () => {
  test('doctor has every letter of a long URI', async () => {
    const { stdout } = await run(undefined, 'doctor');
    expect(stdout.replaceAll(/[│\s]/g, '')).toContain(`${QUARANTINE}/`);
  });
});
