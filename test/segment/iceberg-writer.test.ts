import { expect, test } from 'vitest';
import { deleteTypeOf, isWrittenByIceberg } from '../../lib/segment/iceberg-writer.ts';
import { segmentOf } from '../../lib/segment/segment.ts';
import type { Schema } from '../../lib/spec/schema.ts';
import { writeParquet } from '../../local/shipper/segment.ts';
import { engineFile } from '../fakes/engine-file.ts';

const schemaOf = (name: string): Schema => ({
  type: 'struct',
  fields: [{ id: 1, name, required: true, type: 'string' }],
});

test('isWrittenByIceberg knows the key that Java leaves in the footer', () => {
  expect(isWrittenByIceberg({ bytes: engineFile(schemaOf('id'), [{ id: 'a' }]) })).toBe(true);
});

test.each([
  ['a column of its name', schemaOf('iceberg.schema'), { 'iceberg.schema': 'a' }],
  ['a value', schemaOf('id'), { id: 'iceberg.schema' }],
  ['a value that has it in it', schemaOf('id'), { id: 'the key iceberg.schema' }],
])('isWrittenByIceberg is not misled by %s', (_what, schema, row) => {
  expect(isWrittenByIceberg({ bytes: writeParquet(schema, [row]) })).toBe(false);
});

test.each(['equality', 'position'])(
  'deleteTypeOf tells a file of %s deletes by the key that Java leaves',
  (type) => {
    const bytes = engineFile(schemaOf('id'), [{ id: 'a' }], { 'delete-type': type });
    expect(deleteTypeOf({ bytes })).toBe(type);
  },
);

test('deleteTypeOf is not misled by a column of its name, or by what data says', () => {
  expect(
    deleteTypeOf({ bytes: writeParquet(schemaOf('delete-type'), [{ 'delete-type': 'equality' }]) }),
  ).toBe(undefined);
});

test('a file of deletes is no segment', () => {
  const bytes = engineFile(schemaOf('id'), [{ id: 'a' }], { 'delete-type': 'equality' });
  const read = {
    kind: 'footer',
    uri: 's3://lake/a.parquet',
    bytes,
    etag: '1',
    sizeBytes: 1,
    lastModifiedMs: 0,
  } as const;
  const options = {
    formatVersion: 2,
    fieldIds: 'checked',
    caseSensitiveNames: false,
    timestampMillis: 'refuse',
  } as const;
  const reference = { scheme: 's3', bucket: 'lake', key: 'a.parquet' } as const;
  expect(() => segmentOf(reference, read, options)).toThrow(
    expect.objectContaining({
      code: 'segment.unreadable',
      message: expect.stringContaining('equality deletes'),
    }),
  );
});
