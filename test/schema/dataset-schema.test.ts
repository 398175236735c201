import { describe, expect, test } from 'vitest';
import { columnsOf } from '../../lib/schema/columns.ts';
import {
  datasetSchemaProperty,
  fingerprint,
  newDataset,
  readDatasetSchema,
  withChange,
  withFollowed,
  writeDatasetSchema,
} from '../../lib/schema/dataset-schema.ts';
import type { NestedField } from '../../lib/spec/schema.ts';
import { column, list, map, required, struct } from './evolving-table.ts';

const schema = struct(
  required(1, 'id', 'long'),
  column(2, 's', struct(column(3, 'l', list(4, 'int')))),
  column(5, 'm', map(6, 'string', 7, 'decimal(9,2)')),
);

describe('the dataset schema', () => {
  test('is read as it was written, and equal ones are equal text', () => {
    const dataset = {
      ...newDataset(schema, 1_700_000_000_123),
      pastNames: new Map([[1, ['key', 'k']]]),
      laggingMs: new Map([[5, 1_600_000_000_000]]),
      dropped: [7],
      firstSchemaId: 1,
    };
    const text = writeDatasetSchema(dataset);
    const read = readDatasetSchema({ [datasetSchemaProperty]: text });
    expect(read).toMatchObject({ ...dataset, columns: expect.any(Map) });
    expect(read && writeDatasetSchema(read)).toBe(text);
    expect(readDatasetSchema({})).toBeUndefined();
  });

  test.each([
    '',
    '{',
    '[]',
    'null',
    writeDatasetSchema(newDataset(schema, 1)).replace('"v":1', '"v":2'),
    '{"v":1}',
    '{"v":1,"schema":{"type":"struct"},"followed":[]}',
  ])('that cannot be understood is refused: %s', (text) => {
    expect(() => readDatasetSchema({ [datasetSchemaProperty]: text })).toThrow(
      expect.objectContaining({ code: 'table.unsupported' }),
    );
  });

  test('keeps a date of its own only for a column that lags behind the last change', () => {
    const before = newDataset(schema, 1);
    const changed = withChange(before, before, columnsOf(struct(required(1, 'id', 'long'))), 2);
    expect(changed.changedMs).toBe(2);
    expect([...changed.laggingMs]).toEqual([2, 3, 4, 5, 6, 7].map((id) => [id, 1]));
  });

  test('remembers the last 500 schemas followed', () => {
    let dataset = newDataset(schema, 0);
    for (let i = 0; i < 600; i++) dataset = withFollowed(dataset, `schema ${i}`);
    expect(dataset.followed).toHaveLength(500);
    expect(dataset.followed.at(-1)).toBe('schema 599');
  });
});

describe('fingerprint', () => {
  const of = (...fields: readonly NestedField[]) => fingerprint(columnsOf(struct(...fields)));
  const [a, b] = [column(1, 'a', 'int'), column(2, 'b', 'int')];

  test('does not see order and nullability', () => {
    expect(of(b, a)).toBe(of(a, b));
    expect(of(required(1, 'a', 'int'), b)).toBe(of(a, b));
  });

  test.each([
    ['name', [column(1, 'x', 'int'), b]],
    ['type', [column(1, 'a', 'long'), b]],
    ['ID', [column(3, 'a', 'int'), b]],
    ['parent', [column(2, 'b', struct(a))]],
    ['absence', [a]],
  ])('sees another %s', (_, fields) => {
    expect(of(...fields)).not.toBe(of(a, b));
  });
});
