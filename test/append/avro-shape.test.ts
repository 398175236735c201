import { expect, test } from 'vitest';
import { avroShape } from '../../lib/append/avro/avro-shape.ts';

test.each([
  '7',
  '"unheard-of"',
  '{"type":"fixed","name":"f"}',
  '{"type":"fixed","name":"f","size":"4"}',
  '{"type":"record","name":"r"}',
  '{"type":"record","name":"r","fields":[{"type":"int"}]}',
  '{"type":"array"}',
  '{"type":"record","name":"r","fields":[{"name":"self","type":"r"}]}',
  '{"type":"map","values":["null",{"type":"fixed","name":"f"}]}',
])('a schema that is no Avro type is refused, not read as another: %s', (schema) => {
  expect(() => avroShape(JSON.parse(schema))).toThrow(TypeError);
});
