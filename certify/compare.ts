import type { Schema, Type } from '../lib/spec/schema.ts';
import type { Canonical, Row } from '../test/integration/readers/canonical.ts';
import { canonicalised, type ReadRow, withoutNestedNulls } from './read-value.ts';

/** The key of a row: its `seq`, which is unique in the table. */
export const key = 'seq';

/**
 * Describes each difference between the rows read and the rows shipped in one line: surplus and missing rows first, then values by row and
 * column. Empty if there is none.
 */
export function differences(
  schema: Schema,
  shipped: readonly Row[],
  read: readonly ReadRow[],
  columns: readonly string[],
): readonly string[] {
  const types = new Map(schema.fields.map(({ name, type }) => [name, type]));
  const found = new Map<string, Row>();
  const lines: string[] = [];
  for (const row of read) {
    const canonical = canonicalised(schema, row);
    const seq = String(canonical[key]);
    if (found.has(seq)) lines.push(`row ${seq} twice`);
    found.set(seq, canonical);
  }
  const expected = new Map(shipped.map((row) => [String(row[key]), canonicalised(schema, row)]));
  lines.push(
    ...[...found.keys()].filter((seq) => !expected.has(seq)).map((seq) => `row ${seq} was not shipped`),
  );
  for (const [seq, row] of expected) {
    const other = found.get(seq);
    if (other === undefined) {
      lines.push(`row ${seq} is missing`);
      continue;
    }
    for (const column of columns)
      lines.push(...valueDifference(column, types.get(column), row[column], other[column]));
  }
  return [...new Set(lines)];
}

function valueDifference(
  column: string,
  type: Type = 'string',
  wanted: Canonical | undefined,
  got: Canonical | undefined,
): readonly string[] {
  if (same(wanted, got)) return [];
  const line = `${column}: ${short(JSON.stringify(got))} for ${short(JSON.stringify(wanted))}`;
  if (got === undefined || wanted === undefined) return [line];
  const onlyNulls = same(withoutNestedNulls(type, wanted), withoutNestedNulls(type, got));
  return [onlyNulls ? `nested null as empty: ${line}` : line];
}

function same(a: Canonical | undefined, b: Canonical | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function short(text = 'nothing'): string {
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}
