import type { LogicalType, SchemaElement } from './footer.ts';

/**
 * The annotation of a schema element as text, such as `TIMESTAMP(MICROS,UTC)`: the logical type, else the converted type (whose
 * timestamps are in UTC, case A15); `''` if there is none.
 */
export function annotationOf(element: SchemaElement): string {
  const { logicalType, convertedType } = element;
  // Arrow writes the null type beside INTERVAL, for which there is only a converted type.
  const isPlaceholder = logicalType?.kind === 'null' && convertedType !== undefined;
  if (logicalType !== undefined && !isPlaceholder) return logicalAnnotation(logicalType);
  if (convertedType === undefined) return '';
  return convertedTypes[convertedType] ?? `converted type ${convertedType}`;
}

/** `ConvertedType` of parquet.thrift, by its number. */
const convertedTypes = [
  ['STRING', 'MAP', 'MAP', 'LIST', 'ENUM', 'DECIMAL', 'DATE', 'TIME(MILLIS)', 'TIME(MICROS)'],
  ['TIMESTAMP(MILLIS,UTC)', 'TIMESTAMP(MICROS,UTC)'],
  ['UINT(8)', 'UINT(16)', 'UINT(32)', 'UINT(64)', 'INT(8)', 'INT(16)', 'INT(32)', 'INT(64)'],
  ['JSON', 'BSON', 'INTERVAL'],
].flat();

function logicalAnnotation(logical: LogicalType): string {
  switch (logical.kind) {
    case 'time':
      return `TIME(${logical.value.unit.kind.toUpperCase()})`;
    case 'timestamp':
      return `TIMESTAMP(${logical.value.unit.kind.toUpperCase()}${logical.value.isAdjustedToUtc ? ',UTC' : ''})`;
    case 'integer':
      return `${logical.value.isSigned ? 'INT' : 'UINT'}(${logical.value.bitWidth})`;
    case 'null':
      return 'NULL';
    case 'unknown':
      return `logical type ${logical.value}`;
    default:
      return logical.kind.toUpperCase();
  }
}
