/**
 * The Iceberg schema of a Parquet file. Structs, lists and maps are recognised by their structure, whatever their groups are
 * called (cases A7 to A10).
 */
import { RegistrarError } from '../errors.ts';
import { onceFor } from '../memo.ts';
import type { NestedField, Schema, Type } from '../spec/schema.ts';
import type { ColumnType, ColumnTypeOptions } from './column-type.ts';
import { type FileField, fileFields } from './file-field.ts';
import { formatPath, type SchemaNode } from './parquet-schema.ts';

export interface IcebergSchemaOptions extends ColumnTypeOptions {
  /** `by_name`: a file without any field ID gets provisional ones. */
  readonly fieldIds: 'checked' | 'stable' | 'by_name';
  readonly caseSensitiveNames: boolean;
}

/** A leaf that is an Iceberg field; the leaves inside a variant are not. */
export interface LeafColumn extends ColumnType {
  readonly fieldId: number;
  /** The IDs of the fields around the leaf, from the root, and its own. */
  readonly lineage: readonly number[];
  /** Required all the way up. */
  readonly isRequired: boolean;
}

export interface IcebergSchema {
  readonly schema: Schema;
  readonly idsFrom: 'file' | 'names';
  /** By the index of the leaf. */
  readonly columns: ReadonlyMap<number, LeafColumn>;
}

/** IDs above belong to metadata columns (spec, "Reserved Field IDs"). */
const highestFieldId = 2_147_483_447;

/**
 * Maps the tree of a Parquet schema. A file without any field ID gets provisional ones in tree order, from 1.
 *
 * @throws `segment.inconsistent` (IDs that are missing, partial, duplicate, negative or reserved), `sink.iceberg_unsupported_type`,
 * `sink.iceberg_schema_mismatch` (names that collide)
 */
export function icebergSchema(root: SchemaNode, options: IcebergSchemaOptions): IcebergSchema {
  const known = mapped(root);
  const { formatVersion, fieldIds, caseSensitiveNames, timestampMillis } = options;
  const key = [formatVersion, fieldIds, caseSensitiveNames, timestampMillis].join();
  const schema = known.get(key) ?? mapTree(root, options);
  known.set(key, schema);
  return schema;
}

/** The mapped schemas of a tree, by options. */
const mapped = onceFor((_root: SchemaNode) => new Map<string, IcebergSchema>());

function mapTree(root: SchemaNode, options: IcebergSchemaOptions): IcebergSchema {
  const top = fileFields(root, options);
  const all = top.flatMap(withDescendants);
  checkNames(all, options.caseSensitiveNames);
  const idsFrom = checkIds(all, options.fieldIds);
  const ids = new Map(all.map((field, index) => [field, field.node.element.fieldId ?? index + 1]));
  const idOf = (field: FileField): number => ids.get(field) ?? 0;
  return {
    schema: { type: 'struct', fields: top.map((field) => nestedField(field, idOf)) },
    idsFrom,
    columns: new Map(top.flatMap((field) => leafColumns(field, idOf, [], true))),
  };
}

function nestedField(field: FileField, idOf: (field: FileField) => number): NestedField {
  const name = field.path.at(-1) ?? '';
  return { id: idOf(field), name, required: field.isRequired, type: typeOf(field, idOf) };
}

function typeOf(field: FileField, idOf: (field: FileField) => number): Type {
  const [first, second] = field.children;
  if (field.kind === 'list' && first) {
    return {
      type: 'list',
      'element-id': idOf(first),
      element: typeOf(first, idOf),
      'element-required': first.isRequired,
    };
  }
  if (field.kind === 'map' && first && second) {
    return {
      type: 'map',
      'key-id': idOf(first),
      key: typeOf(first, idOf),
      'value-id': idOf(second),
      value: typeOf(second, idOf),
      'value-required': second.isRequired,
    };
  }
  if (field.kind === 'struct') {
    return { type: 'struct', fields: field.children.map((child) => nestedField(child, idOf)) };
  }
  return field.columnType?.type ?? 'variant';
}

function leafColumns(
  field: FileField,
  idOf: (field: FileField) => number,
  around: readonly number[],
  isAroundRequired: boolean,
): readonly (readonly [leafIndex: number, LeafColumn])[] {
  const lineage = [...around, idOf(field)];
  const isRequired = isAroundRequired && field.isRequired;
  const { leafIndex } = field.node;
  if (leafIndex !== undefined && field.columnType) {
    return [[leafIndex, { ...field.columnType, fieldId: idOf(field), lineage, isRequired }]];
  }
  // A list or map may be empty, so the fields inside it are never required all the way up.
  return field.children.flatMap((child) =>
    leafColumns(child, idOf, lineage, isRequired && field.kind === 'struct'),
  );
}

const withDescendants = (field: FileField): readonly FileField[] => [
  field,
  ...field.children.flatMap(withDescendants),
];

/**
 * Limit on the total length of all full names. Since they include their parents' names, they grow with the square of a hostile
 * schema.
 */
const maxNameCharacters = 10_000_000;

/**
 * Checks that full names are unique, as Iceberg requires: a column `a.b` collides with `b` in a struct `a` (case A24). Names must
 * also be unique in lower case, which most engines use (case A25).
 */
function checkNames(fields: readonly FileField[], caseSensitiveNames: boolean): void {
  const seen = new Map<string, FileField>();
  let characters = 0;
  for (const field of fields) {
    for (const name of field.path) characters += name.length + 1;
    if (characters > maxNameCharacters) {
      throw new RegistrarError(
        'segment.unreadable',
        `Cannot read the schema of the segment: its full names have more than ${maxNameCharacters} characters`,
      );
    }
    const name = field.path.join('.');
    // Catalogs on PostgreSQL cannot store NUL. If they refused the schema, every segment of the commit would be held up.
    if (name.includes('\0')) throw unusable(field, 'has a NUL character, which not every catalog can store');
    if (field.path.at(-1) === '')
      throw unusable(field, 'is empty, with which Trino and ClickHouse read no column of its table');
    const key = caseSensitiveNames ? name : name.toLowerCase();
    const other = seen.get(key);
    if (other) throw collision(field, other);
    seen.set(key, field);
  }
}

function unusable({ path }: FileField, why: string): RegistrarError {
  return new RegistrarError(
    'sink.iceberg_schema_mismatch',
    `Cannot map column ${formatPath(path)}: its name ${why}; rename it`,
  );
}

function collision(field: FileField, other: FileField): RegistrarError {
  const [name, otherName] = [formatPath(field.path), formatPath(other.path)];
  return new RegistrarError(
    'sink.iceberg_schema_mismatch',
    name === otherName
      ? `Cannot map column ${name}: two columns have that full name; rename one`
      : `Cannot map column ${name}: only letter case tells it from ${otherName}, and most engines lower-case names; rename one, or set case_sensitive_names: true`,
  );
}

function checkIds(
  fields: readonly FileField[],
  fieldIds: IcebergSchemaOptions['fieldIds'],
): 'file' | 'names' {
  const without = fields.filter((field) => field.node.element.fieldId === undefined);
  if (without.length === fields.length) {
    if (fieldIds === 'by_name') return 'names';
    throw inconsistent(
      'no column has a field ID: write the dataset with field IDs, or set field_ids: by_name',
    );
  }
  if (without[0] !== undefined) {
    throw inconsistent(
      `${without.length} of ${fields.length} columns have no field ID, ${formatPath(without[0].path)} among them: readers would see nulls there`,
    );
  }
  const seen = new Map<number, FileField>();
  for (const field of fields) {
    const id = field.node.element.fieldId ?? 0;
    if (id < 0 || id > highestFieldId) {
      throw inconsistent(
        `column ${formatPath(field.path)} has the field ID ${id}, outside 0 to ${highestFieldId}`,
      );
    }
    const other = seen.get(id);
    if (other) {
      throw inconsistent(
        `columns ${formatPath(other.path)} and ${formatPath(field.path)} have the same field ID ${id}`,
      );
    }
    seen.set(id, field);
  }
  return 'file';
}

function inconsistent(what: string): RegistrarError {
  return new RegistrarError('segment.inconsistent', `Cannot use the field IDs of the segment: ${what}`);
}
