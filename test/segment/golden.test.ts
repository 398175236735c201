import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { difference, type Expectation, outcomeOf } from './outcome.ts';

/** The same four rows by every writer: test/files/make says how. A new file is a new test. */
const folder = path.resolve(import.meta.dirname, '../files');
const files = readdirSync(folder).filter((name) => name.endsWith('.parquet'));

test('the golden files are of six writers', () => {
  expect(files.length).toBeGreaterThanOrEqual(6);
});

test.each(files)('inspect: %s says of its rows what every other writer says', async (name) => {
  const expected = JSON.parse(
    readFileSync(path.join(folder, name.replace(/parquet$/, 'json')), 'utf8'),
  ) as Expectation;
  expect(difference(await outcomeOf(readFileSync(path.join(folder, name))), expected)).toBeUndefined();
});
