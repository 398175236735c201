import { RegistrarError } from '../errors.ts';
import type { PartitionField, PartitionSpec } from '../spec/partition-spec.ts';
import { type IndexedField, indexById, type PrimitiveType, type Schema } from '../spec/schema.ts';

/** A partition transform (spec, "Partition Transforms"). */
export type Transform =
  | { readonly name: 'identity' | 'year' | 'month' | 'day' | 'hour' }
  | { readonly name: 'void' }
  | { readonly name: 'bucket'; readonly buckets: number }
  | { readonly name: 'truncate'; readonly width: number };

/** A partition field, with the types and properties of its source column. */
export interface ResolvedPartitionField {
  readonly field: PartitionField;
  readonly transform: Transform;
  /** The source column's name, for messages: names from the root, joined. */
  readonly column: string;
  /** Rows of files without the column are not null. */
  readonly hasInitialDefault: boolean;
  /** No row may have a null: the column and the structs around it are required. */
  readonly isRequired: boolean;
  /** `unknown` where the column has been dropped: only `void` allows that. */
  readonly sourceType: PrimitiveType;
  readonly resultType: PrimitiveType;
}

/** The fields of a spec, in order. @throws `table.unsupported` for a transform or source column that cannot be written */
export function resolvePartitionFields(
  spec: PartitionSpec,
  schema: Schema,
): readonly ResolvedPartitionField[] {
  if (spec.fields.length === 0) return [];
  const columns = indexById(schema);
  return spec.fields.map((field) => resolve(field, columns));
}

function resolve(field: PartitionField, columns: ReadonlyMap<number, IndexedField>): ResolvedPartitionField {
  const transform = parseTransform(field.transform);
  if (transform === undefined) {
    throw unsupported(field, 'only identity, bucket, truncate, year, month, day, hour and void are known');
  }
  if ((field['source-ids']?.length ?? 1) > 1) throw unsupported(field, 'it has more than one source column');
  const source = columns.get(field['source-id']);
  const sourceType = typeof source?.type === 'string' ? source.type : 'unknown';
  if (sourceType === 'unknown' && transform.name !== 'void') {
    throw unsupported(field, 'the schema has no such column of a primitive type');
  }
  const result = resultType(transform, sourceType);
  if (result.startsWith('fixed') && transform.name !== 'void') {
    throw unsupported(
      field,
      'Iceberg Java writes fixed partition values as bytes, so no manifest of it is read by all',
    );
  }
  return {
    field,
    transform,
    column: source?.path.join('.') ?? '',
    hasInitialDefault: (source?.field?.['initial-default'] ?? null) !== null,
    isRequired: isRequired(source, columns),
    sourceType,
    resultType: result,
  };
}

function isRequired(column: IndexedField | undefined, columns: ReadonlyMap<number, IndexedField>): boolean {
  if (column?.required !== true) return false;
  return column.parentId === undefined || isRequired(columns.get(column.parentId), columns);
}

function unsupported(field: PartitionField, reason: string): RegistrarError {
  return new RegistrarError(
    'table.unsupported',
    `Cannot write to partition field "${field.name}", "${field.transform}" of column ID ${field['source-id']}: ${reason}`,
  );
}

function parseTransform(text: string): Transform | undefined {
  switch (text) {
    case 'identity':
    case 'year':
    case 'month':
    case 'day':
    case 'hour':
    case 'void':
      return { name: text };
    default: {
      const [, name, width] = /^(bucket|truncate)\[([1-9]\d*)\]$/.exec(text) ?? [];
      if (name === 'bucket') return { name, buckets: Number(width) };
      return name === 'truncate' ? { name, width: Number(width) } : undefined;
    }
  }
}

/** A day is a date in Java and in files. The spec's table says int, which has the same bytes. */
function resultType(transform: Transform, sourceType: PrimitiveType): PrimitiveType {
  switch (transform.name) {
    case 'identity':
    case 'truncate':
    case 'void':
      return sourceType;
    case 'day':
      return 'date';
    case 'bucket':
    case 'year':
    case 'month':
    case 'hour':
      return 'int';
  }
}
