import { expect, test } from 'vitest';
import { schemaChanges } from '../../local/demo/schema-changes.ts';
import { list, optional, required, schema, struct } from '../../local/shipper/schema-notation.ts';

const older = schema(required(1, 'a', 'int'), optional(2, 'b', struct(optional(3, 'c', 'string'))));

test('schemaChanges is empty between equal schemas', () => {
  expect(schemaChanges(older, older)).toEqual([]);
});

test('schemaChanges tells additions, renames and promotions by field ID, nested ones too', () => {
  const newer = schema(
    required(1, 'z', 'long'),
    optional(2, 'b', struct(optional(3, 'd', 'string'), optional(4, 'e', 'date'))),
    optional(5, 'f', list(6, struct(optional(7, 'g', 'int')))),
  );
  expect(schemaChanges(older, newer)).toEqual(['a → z', 'z int → long', 'b.c → d', '+ b.e date', '+ f list']);
});
