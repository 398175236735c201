/**
 * Name mappings: how readers find the columns of data files that have no field IDs (table spec, "Column Projection";
 * JSON form in Appendix C). Names are literal: `a.b` is one name (cases.md A1).
 */
import { childFields, type Schema, type Type } from './schema.ts';

/** The table property that holds a mapping as JSON. */
export const nameMappingProperty = 'schema.name-mapping.default';

export type NameMapping = readonly MappedField[];

export interface MappedField {
  /** Absent if a column of this name is known but has no field. */
  readonly 'field-id'?: number;
  /** The name and its aliases. A list's child is `element`, a map's are `key` and `value`. */
  readonly names: readonly string[];
  readonly fields?: NameMapping;
}

/** Reads the JSON form. @throws SyntaxError for what is not a name mapping */
export function parseNameMapping(json: string): NameMapping {
  const mapping: unknown = JSON.parse(json);
  if (!isNameMapping(mapping)) throw new SyntaxError('a name mapping is a list of {field-id, names, fields}');
  return mapping;
}

/** The highest field ID that a mapping gives; 0 if it gives none. */
export function highestId(mapping: NameMapping): number {
  return mapping.reduce(
    (highest, { 'field-id': id = 0, fields = [] }) => Math.max(highest, id, highestId(fields)),
    0,
  );
}

function isNameMapping(value: unknown): value is NameMapping {
  return Array.isArray(value) && value.every(isMappedField);
}

function isMappedField(value: unknown): value is MappedField {
  if (typeof value !== 'object' || value === null) return false;
  const { 'field-id': id, names, fields } = value as Record<string, unknown>;
  return (
    (id === undefined || Number.isInteger(id)) &&
    Array.isArray(names) &&
    names.every((name) => typeof name === 'string') &&
    (fields === undefined || isNameMapping(fields))
  );
}

/** The mapped fields directly below the field with this ID, or at the root without one. */
export function mappedChildren(mapping: NameMapping, parentId: number | undefined): NameMapping {
  if (parentId === undefined) return mapping;
  for (const mapped of mapping) {
    const nested = mapped.fields ?? [];
    if (mapped['field-id'] === parentId) return nested;
    const found = mappedChildren(nested, parentId);
    if (found.length > 0) return found;
  }
  return [];
}

/** Siblings by each of their names. If several have a name, the first one wins. */
export function mappedByName(siblings: NameMapping): ReadonlyMap<string, MappedField> {
  const index = new Map<string, MappedField>();
  for (const mapped of siblings) {
    for (const name of mapped.names) if (!index.has(name)) index.set(name, mapped);
  }
  return index;
}

/**
 * Extends the mapping so that it has every field of a schema under its current name. Former names and dropped fields stay. A
 * name that a sibling has is not given twice, since readers refuse such a mapping. Returns the same mapping if nothing is
 * missing.
 */
export function followSchema(mapping: NameMapping, schema: Schema): NameMapping {
  const followed = followType(mapping, schema);
  return JSON.stringify(followed) === JSON.stringify(mapping) ? mapping : followed;
}

function followType(siblings: NameMapping, type: Type): NameMapping {
  if (typeof type === 'string') return siblings;
  const children = childFields(type);
  const names = new Set(children.map(({ name }) => name));
  const followed = siblings.map((mapped) => (isUnmapped(mapped) ? withoutNames(mapped, names) : mapped));
  const places = new Map(followed.map((mapped, at) => [mapped['field-id'], at]));
  const takenNames = new Set(followed.flatMap((mapped) => mapped.names));
  for (const child of children) {
    const at = places.get(child.id) ?? followed.length;
    const before = followed[at] ?? { 'field-id': child.id, names: [] };
    const taken = takenNames.has(child.name);
    const fields = followType(before.fields ?? [], child.type);
    const after = {
      ...before,
      names: taken ? before.names : [...before.names, child.name],
      ...(fields.length > 0 && { fields }),
    };
    if (at < followed.length || after.names.length > 0) followed[at] = after;
    takenNames.add(child.name);
  }
  return followed.filter((mapped) => !isUnmapped(mapped) || mapped.names.length > 0);
}

/** Whether a mapped name stands for no field, so that it gives way to the first field with that name. */
function isUnmapped(mapped: MappedField): boolean {
  return mapped['field-id'] === undefined;
}

function withoutNames(mapped: MappedField, names: ReadonlySet<string>): MappedField {
  return { ...mapped, names: mapped.names.filter((name) => !names.has(name)) };
}
