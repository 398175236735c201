import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { wrapped, wrappedTable } from '../../cli/wrapped-table.ts';

const URI = 's3://lake/in/thadam/v1/plant-7/orders/2026-01-31T01-00Z.parquet';
const columns = [{ head: 'segment' }, { head: 'message', most: 50 }];
const rows = [
  [URI, 'its columns do not fit:\n- column "price" (3): the table has it as a decimal, and it is text'],
];

const linesOf = (text: string): readonly string[] => stripVTControlCharacters(text).split('\n');
/** What is left of a table or list without what is around its cells. */
const contents = (text: string) => stripVTControlCharacters(text).replaceAll(/[│┌┐└┘├┤┬┴┼─\s]/g, '');

describe('wrappedTable', () => {
  test.each([30, 40, 50, 60, 80, 120])('on a terminal of %d columns no line is longer', (terminal) => {
    const printed = wrappedTable(columns, rows, { terminal });
    expect(Math.max(...linesOf(printed).map((line) => line.length))).toBeLessThanOrEqual(terminal);
    expect(printed).not.toContain('…');
  });

  test('where the columns would be too narrow, each row is a list of its cells', () => {
    const printed = linesOf(wrappedTable(columns, [...rows, ['a', '']], { terminal: 30 }));
    expect(printed.slice(0, 3)).toEqual([
      'segment  s3://lake/in/thadam/',
      '         v1/plant-7/orders/',
      '         2026-01-31T01-00Z.',
    ]);
    expect(printed.slice(-2)).toEqual(['', 'segment  a']);
  });

  test('where the output is no terminal, it is as wide as its contents, and nothing is cut', () => {
    const long = 'x'.repeat(120);
    const printed = wrappedTable(columns, [[URI, long]], { terminal: undefined });
    expect(printed).toContain(URI);
    expect(printed).not.toContain('…');
    expect(contents(printed)).toMatch(/x{50}/);
    expect(contents(printed).replaceAll(/[^x]/g, '')).toHaveLength(120);
  });
});

describe('wrapped', () => {
  test('breaks between words, and within one only where it is too long for a line', () => {
    expect(wrapped('the table stays as it is', 10)).toBe('the table\nstays as\nit is');
    expect(wrapped('sink.iceberg_schema_mismatch', 14)).toBe('sink.iceberg_\nschema_\nmismatch');
    expect(wrapped('abcdefgh', 3)).toBe('abc\ndef\ngh');
    expect(wrapped('a\n\nb', 5)).toBe('a\n\nb');
  });

  test('counts no colours', () => {
    const red = '\u001b[31mnot checked\u001b[39m';
    expect(wrapped(red, 11)).toBe(red);
    expect(wrapped(red, 8)).toBe('\u001b[31mnot\nchecked\u001b[39m');
  });
});
