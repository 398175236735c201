import fc from 'fast-check';
import { type Column, type Columns, columnsOf, isInMapKey, schemaOf } from '../../lib/schema/columns.ts';
import type { NestedField, Schema, Type } from '../../lib/spec/schema.ts';
import { struct } from './evolving-table.ts';

/** One step of a dataset: numbers that pick what changes, so that every sequence of them means something. */
export interface Step {
  readonly kind: 'add' | 'rename' | 'promote' | 'drop' | 'relax' | 'reorder';
  readonly pick: number;
  readonly type: number;
  readonly required: boolean;
}

export const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    kind: fc.constantFrom(
      'add',
      'add',
      'add',
      'rename',
      'rename',
      'promote',
      'promote',
      'drop',
      'relax',
      'reorder',
    ),
    pick: fc.nat(1000),
    type: fc.nat(1000),
    required: fc.boolean(),
  }),
  { minLength: 1, maxLength: 12 },
);

const wider: Readonly<Record<string, string>> = {
  int: 'long',
  float: 'double',
  'decimal(9,2)': 'decimal(12,2)',
  'decimal(12,2)': 'decimal(38,2)',
};

/**
 * The schemas of a dataset that only changes in ways the rules follow, the oldest first. IDs are unique over the lineage and in
 * no order; a name is never used again.
 */
export function lineage(changes: readonly Step[]): readonly Schema[] {
  let nextId = 0;
  const newId = (): number => {
    nextId += 1;
    return ((nextId * 37) % 997) + 1;
  };
  let names = 0;
  const newName = (): string => {
    names += 1;
    return `c${names}`;
  };
  const newType = (choice: number, depth: number): Type => {
    const primitives = ['int', 'float', 'decimal(9,2)', 'string', 'date', 'long'];
    const kind = choice % (depth > 0 ? 9 : 6);
    const inner = Math.floor(choice / 9);
    if (kind < 6) return primitives[kind] ?? 'int';
    if (kind === 6) return struct(newField(inner, depth - 1, false), newField(inner + 1, depth - 1, false));
    if (kind === 7) {
      return {
        type: 'list',
        'element-id': newId(),
        element: newType(inner, depth - 1),
        'element-required': false,
      };
    }
    return {
      type: 'map',
      'key-id': newId(),
      key: 'string',
      'value-id': newId(),
      value: newType(inner, depth - 1),
      'value-required': false,
    };
  };
  const newField = (choice: number, depth: number, isRequired: boolean): NestedField => ({
    id: newId(),
    name: newName(),
    required: isRequired,
    type: newType(choice, depth),
  });

  const apply = (schema: Schema, { kind, pick, type, required }: Step): Schema => {
    const columns = columnsOf(schema);
    const choose = (candidates: readonly Column[]): Column | undefined =>
      candidates[pick % candidates.length];
    const fields = [...columns.values()].filter(({ role }) => role === 'field');
    const changed = (column: Column | undefined, change: Partial<Column>): Schema =>
      column === undefined
        ? schema
        : schemaOf(new Map(columns).set(column.id, { ...column, ...change }), schema);
    switch (kind) {
      case 'add': {
        const parents = [undefined, ...[...columns.values()].filter((one) => one.type === 'struct')];
        return withField(schema, parents[pick % parents.length]?.id, newField(type, 2, required));
      }
      case 'rename':
        return changed(choose(fields), { name: newName() });
      case 'promote': {
        const column = choose(
          [...columns.values()].filter((one) => one.type in wider && !isInMapKey(columns, one)),
        );
        return changed(column, { type: wider[column?.type ?? ''] ?? '' });
      }
      case 'relax':
        return changed(choose(fields), { required: false });
      case 'drop': {
        const column = choose(fields.filter((one) => siblings(columns, one) > 1));
        return column === undefined ? schema : without(schema, column);
      }
      case 'reorder':
        return { ...schema, fields: [...schema.fields.slice(pick % 3), ...schema.fields.slice(0, pick % 3)] };
    }
  };

  const schemas: Schema[] = [
    struct({ id: newId(), name: newName(), required: true, type: 'long' }, newField(6, 2, false)),
  ];
  for (const step of changes) schemas.push(apply(schemas.at(-1) ?? struct(), step));
  return schemas;
}

/** Any schema near this one, most of them not allowed to follow it. */
export function mutated(schema: Schema, pick: number, kind: number): Schema {
  const columns = columnsOf(schema);
  const all = [...columns.values()];
  const column = all[pick % all.length];
  const other = all[(pick * 7 + 1) % all.length];
  if (column === undefined || other === undefined) return schema;
  const changed = (change: Partial<Column>): Schema =>
    schemaOf(new Map(columns).set(column.id, { ...column, ...change }), schema);
  const types = ['int', 'long', 'float', 'double', 'string', 'decimal(9,2)', 'decimal(12,2)'];
  switch (kind % 5) {
    case 0:
      return column.nested === undefined ? changed({ type: types[pick % types.length] ?? 'int' }) : schema;
    case 1:
      return column.role === 'field' ? changed({ name: other.name }) : schema;
    case 2:
      return column.role === 'field' ? changed({ name: column.name.toUpperCase() }) : schema;
    case 3:
      return withField(schema, undefined, {
        id: 2000 + (pick % 20),
        name: other.name,
        required: false,
        type: 'int',
      });
    default:
      return column.role === 'field' && siblings(columns, column) > 1 ? without(schema, column) : schema;
  }
}

function siblings(columns: Columns, column: Column): number {
  return [...columns.values()].filter(({ parentId }) => parentId === column.parentId).length;
}

function without(schema: Schema, column: Column): Schema {
  return schemaOf(new Map([...columnsOf(schema)].filter(([id]) => id !== column.id)), schema);
}

function withField(schema: Schema, parentId: number | undefined, field: NestedField): Schema {
  const added = columnsOf(struct(field))
    .values()
    .map((column) => {
      return [column.id, column.parentId === undefined ? { ...column, parentId } : column] as const;
    });
  return schemaOf(new Map([...columnsOf(schema), ...added]), schema);
}
