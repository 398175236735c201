import { canonicalPrimitive } from '../spec/primitive-type.ts';
import type { Schema } from '../spec/schema.ts';
import { highestFieldId } from '../spec/schema.ts';
import type { TableState } from '../spec/table-state.ts';
import type { TableUpdate } from '../spec/table-update.ts';

export interface SchemaUpdates {
  /** `schema-id` is the one that the server will assign. */
  readonly schema: Schema;
  readonly updates: readonly TableUpdate[];
}

/**
 * The updates that make a schema the table's current one. If the table already has it, they only switch to it: a server drops
 * the duplicate, and `set-current-schema -1` would then fail (D10).
 */
export function schemaUpdates(state: TableState, wanted: Schema): SchemaUpdates {
  const text = canonical(wanted);
  if (canonical(state.currentSchema) === text) return { schema: state.currentSchema, updates: [] };
  const equal = state.schemas.find((schema) => canonical(schema) === text);
  if (equal !== undefined) {
    return { schema: equal, updates: [{ action: 'set-current-schema', 'schema-id': schemaId(equal) }] };
  }
  const schema = { ...wanted, 'schema-id': Math.max(-1, ...state.schemas.map(schemaId)) + 1 };
  return {
    schema,
    updates: [
      {
        action: 'add-schema',
        schema,
        'last-column-id': Math.max(state.lastColumnId, highestFieldId(schema)),
      },
      { action: 'set-current-schema', 'schema-id': -1 },
    ],
  };
}

function schemaId(schema: Schema): number {
  return schema['schema-id'] ?? 0;
}

/**
 * A canonical text of a schema without its ID, regardless of key order, the order of identifier fields, and the spelling of
 * types.
 */
function canonical(schema: Schema): string {
  const identifierIds = [...(schema['identifier-field-ids'] ?? [])].sort((a, b) => a - b);
  return JSON.stringify([schema.fields, identifierIds], (key, value: unknown) => {
    if (typeKeys.has(key) && typeof value === 'string') return canonicalPrimitive(value);
    if (typeof value === 'bigint') return `${value}n`;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

const typeKeys: ReadonlySet<string> = new Set(['type', 'element', 'key', 'value']);
