import { type IndexedField, indexById, type Schema, type Type } from '../../lib/spec/schema.ts';

/** The changes from one schema to a later one, by field ID: `+ signal_dbm int`, `pulses int → long`, `temp → temperature`. */
export function schemaChanges(older: Schema, newer: Schema): readonly string[] {
  const before = indexById(older);
  return [...indexById(newer).values()].flatMap((field) => {
    const known = before.get(field.id);
    if (known === undefined)
      return isBelowNew(field, before) ? [] : [`+ ${pathOf(field)} ${typeText(field.type)}`];
    const renamed = known.name === field.name ? [] : [`${pathOf(known)} → ${field.name}`];
    const promoted =
      known.type === field.type || typeof field.type !== 'string'
        ? []
        : [`${pathOf(field)} ${typeText(known.type)} → ${field.type}`];
    return [...renamed, ...promoted];
  });
}

/** Whether the field is inside a struct, list or map that is new itself. */
function isBelowNew(field: IndexedField, before: ReadonlyMap<number, IndexedField>): boolean {
  return field.parentId !== undefined && !before.has(field.parentId);
}

function pathOf({ path }: IndexedField): string {
  return path.join('.');
}

function typeText(type: Type): string {
  return typeof type === 'string' ? type : type.type;
}
