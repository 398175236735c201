import { expect, test } from 'vitest';
import { isWrittenByIceberg } from '../../lib/segment/iceberg-writer.ts';
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
