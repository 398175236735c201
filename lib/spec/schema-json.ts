import { array, int, object, optional, text } from './json-object.ts';
import type { Schema } from './schema.ts';

export type NumberedSchema = Schema & { readonly 'schema-id': number };

/**
 * Reads a schema from its JSON form, checked as far as the code relies on it; other attributes are preserved. The ID is 0 for
 * old v1 tables without one.
 *
 * @throws TypeError naming what is malformed
 */
export function readSchema(json: unknown): NumberedSchema {
  const schema = object(json, 'a schema');
  const id = optional(int, schema, 'schema-id') ?? 0;
  checkType(schema, `schema ${id}`);
  return { ...(schema as unknown as Schema), 'schema-id': id };
}

function checkType(type: unknown, where: string): void {
  if (typeof type === 'string') return;
  const json = object(type, `a type in ${where}`);
  switch (json['type']) {
    case 'struct':
      for (const value of array(json, 'fields')) {
        const field = object(value, `a field of ${where}`);
        int(field, 'id');
        text(field, 'name');
        if (typeof field['required'] !== 'boolean') {
          throw new TypeError(`"required" of field ${field['id']} in ${where} is not a boolean`);
        }
        checkType(field['type'], where);
      }
      return;
    case 'list':
      int(json, 'element-id');
      checkType(json['element'], where);
      return;
    case 'map':
      int(json, 'key-id');
      int(json, 'value-id');
      checkType(json['key'], where);
      checkType(json['value'], where);
      return;
    default:
      throw new TypeError(`a type in ${where} is "${json['type']}"`);
  }
}
