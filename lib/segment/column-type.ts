/**
 * Maps Parquet columns to Iceberg types by physical and logical type, for reading files as they are. Data pages are never
 * rewritten, so a type is mapped only if Iceberg readers find the right values in those pages; everything else is refused, with
 * the way out. Sources: Iceberg spec, Appendix A "Parquet"; parquet-format, LogicalTypes.md; cases A11 to A22.
 */
import { RegistrarError } from '../errors.ts';
import { canonicalPrimitive } from '../spec/primitive-type.ts';
import type { PrimitiveType } from '../spec/schema.ts';
import { annotationOf } from './annotation.ts';
import type { SchemaElement } from './footer.ts';
import { formatPath } from './parquet-schema.ts';

/** `Type` of parquet.thrift, by its number. */
const physicalTypes = [
  'BOOLEAN',
  'INT32',
  'INT64',
  'INT96',
  'FLOAT',
  'DOUBLE',
  'BYTE_ARRAY',
  'FIXED',
] as const;
type PhysicalType = (typeof physicalTypes)[number];

/** How the statistics of a column are read: its physical type and the order of its values (`column-value.ts`). */
export type ValueForm =
  | 'boolean'
  | 'int32'
  | 'uint32'
  | 'int64'
  | 'millis'
  | 'float'
  | 'double'
  | 'int32Decimal'
  | 'int64Decimal'
  | 'bytesDecimal'
  | 'utf8'
  | 'bytes'
  | 'fixed'
  /** No order, or none that Iceberg knows, so no bounds. */
  | 'unordered';

export interface ColumnType {
  readonly type: PrimitiveType;
  readonly form: ValueForm;
  /** Length in bytes of a fixed-length physical type. */
  readonly fixedLength: number | undefined;
}

export interface ColumnTypeOptions {
  readonly formatVersion: 1 | 2 | 3;
  readonly timestampMillis: 'refuse' | 'accept';
}

/** `unsupported`: Iceberg has no such type, and the way out. `inconsistent`: Parquet allows no such column. */
interface Refuse {
  unsupported(wayOut: string): never;
  inconsistent(what: string): never;
}

type Row = readonly [
  annotation: string,
  carrier: PhysicalType,
  type: PrimitiveType | ((element: SchemaElement, refuse: Refuse) => PrimitiveType),
  form: ValueForm,
  /** Required for this row: format version 3, or `timestamp_millis: accept`. */
  only?: 3 | 'millis',
];

/** One row per mapping: Parquet's annotation and physical type, the Iceberg type, the form of its statistics. */
const matrix: readonly Row[] = [
  ['', 'BOOLEAN', 'boolean', 'boolean'],
  ['', 'INT32', 'int', 'int32'],
  ['', 'INT64', 'long', 'int64'],
  ['', 'INT96', 'timestamptz', 'unordered'],
  ['', 'FLOAT', 'float', 'float'],
  ['', 'DOUBLE', 'double', 'double'],
  ['', 'BYTE_ARRAY', 'binary', 'bytes'],
  ['', 'FIXED', fixedType, 'fixed'],
  ['INT(8)', 'INT32', 'int', 'int32'],
  ['INT(16)', 'INT32', 'int', 'int32'],
  ['INT(32)', 'INT32', 'int', 'int32'],
  ['INT(64)', 'INT64', 'long', 'int64'],
  ['UINT(8)', 'INT32', 'int', 'int32'],
  ['UINT(16)', 'INT32', 'int', 'int32'],
  // PyIceberg and DuckDB read it correctly. Iceberg's Java readers read values from 2^31 on as negative numbers.
  ['UINT(32)', 'INT32', 'long', 'uint32'],
  ['DECIMAL', 'INT32', decimalType, 'int32Decimal'],
  ['DECIMAL', 'INT64', decimalType, 'int64Decimal'],
  ['DECIMAL', 'BYTE_ARRAY', decimalType, 'bytesDecimal'],
  ['DECIMAL', 'FIXED', decimalType, 'bytesDecimal'],
  ['DATE', 'INT32', 'date', 'int32'],
  ['TIME(MICROS)', 'INT64', 'time', 'int64'],
  ['TIMESTAMP(MICROS)', 'INT64', 'timestamp', 'int64'],
  ['TIMESTAMP(MICROS,UTC)', 'INT64', 'timestamptz', 'int64'],
  ['TIMESTAMP(MILLIS)', 'INT64', 'timestamp', 'millis', 'millis'],
  ['TIMESTAMP(MILLIS,UTC)', 'INT64', 'timestamptz', 'millis', 'millis'],
  ['TIMESTAMP(NANOS)', 'INT64', 'timestamp_ns', 'int64', 3],
  ['TIMESTAMP(NANOS,UTC)', 'INT64', 'timestamptz_ns', 'int64', 3],
  ['STRING', 'BYTE_ARRAY', 'string', 'utf8'],
  ['ENUM', 'BYTE_ARRAY', 'string', 'utf8'],
  ['JSON', 'BYTE_ARRAY', 'string', 'utf8'],
  ['BSON', 'BYTE_ARRAY', 'binary', 'bytes'],
  ['UUID', 'FIXED', uuidType, 'fixed'],
  ['GEOMETRY', 'BYTE_ARRAY', geometryType, 'unordered', 3],
  ['GEOGRAPHY', 'BYTE_ARRAY', geographyType, 'unordered', 3],
];

const inMicros = 'write the column in microseconds';
/** Annotations that only occur on groups. */
const groupAnnotations = ['LIST', 'MAP', 'VARIANT'];

/** Annotations without an Iceberg type, or with one that does not fit the file's pages, and the way out. */
const refusals: Readonly<Record<string, string>> = {
  'UINT(64)': 'an Iceberg long cannot hold uint64: write the dataset with signed integers',
  'TIME(MILLIS)': `an Iceberg time counts microseconds: ${inMicros}`,
  'TIME(NANOS)': `an Iceberg time counts microseconds: ${inMicros}`,
  'TIMESTAMP(MILLIS)': `an Iceberg timestamp counts microseconds: ${inMicros}, or set timestamp_millis: accept if every reader of the table rescales`,
  FLOAT16: 'Iceberg has no half-precision type: write the column as FLOAT',
  INTERVAL: 'Iceberg has no interval type: write two columns, or a number of microseconds',
  NULL: 'Iceberg stores no column of the null type in data files: leave the column out, or give it a type',
};

/**
 * The Iceberg type of a leaf.
 *
 * @throws `sink.iceberg_unsupported_type`; `segment.inconsistent` for an annotation that cannot stand on its physical type
 */
export function columnType(
  element: SchemaElement,
  path: readonly string[],
  options: ColumnTypeOptions,
): ColumnType {
  const annotation = annotationOf(element);
  const carrier = physicalTypes[element.type ?? -1] ?? `physical type ${element.type}`;
  const parquet = annotation === '' ? carrier : `${annotation} on ${carrier}`;
  const refuse: Refuse = {
    unsupported(wayOut) {
      throw new RegistrarError(
        'sink.iceberg_unsupported_type',
        `Cannot map column ${formatPath(path)} to a type of format version ${options.formatVersion}: it is ${parquet}, and ${wayOut}`,
      );
    },
    inconsistent(what) {
      throw new RegistrarError(
        'segment.inconsistent',
        `Cannot map column ${formatPath(path)}: it is ${parquet}, and ${what}`,
      );
    },
  };

  const row = matrix.find(([name, on]) => name === annotation && on === carrier);
  const wayOut = refusals[annotation.replace(',UTC', '')];
  if (row === undefined) {
    if (wayOut !== undefined) refuse.unsupported(wayOut);
    if (groupAnnotations.includes(annotation) || matrix.some(([name]) => name === annotation)) {
      refuse.inconsistent('Parquet does not allow that pair');
    }
    refuse.unsupported('this version does not know it: write the column as a type of the Iceberg spec');
  }
  const [, , type, form, only] = row;
  if (only === 'millis' && options.timestampMillis === 'refuse') refuse.unsupported(wayOut ?? '');
  if (only === 3 && options.formatVersion < 3) {
    refuse.unsupported('only format version 3 has that: create the table with format_version: 3');
  }
  return {
    type: typeof type === 'string' ? type : type(element, refuse),
    form,
    fixedLength: carrier === 'FIXED' ? element.typeLength : undefined,
  };
}

function decimalType(element: SchemaElement, refuse: Refuse): PrimitiveType {
  const { precision = 0, scale = 0 } =
    element.logicalType?.kind === 'decimal' ? element.logicalType.value : element;
  if (precision > 38) refuse.unsupported(`an Iceberg decimal has at most 38 digits, not ${precision}`);
  if (precision < 1 || scale < 0 || scale > precision || precision > carrierDigits(element)) {
    refuse.inconsistent(`precision ${precision} with scale ${scale} does not fit`);
  }
  return `decimal(${precision},${scale})`;
}

/** The largest precision that a decimal's physical type can hold. */
function carrierDigits(element: SchemaElement): number {
  const bits = { INT32: 32, INT64: 64, FIXED: 8 * (element.typeLength ?? 0) } as Partial<
    Record<string, number>
  >;
  return Math.floor(
    Math.log10(2) * ((bits[physicalTypes[element.type ?? -1] ?? ''] ?? Number.POSITIVE_INFINITY) - 1),
  );
}

function fixedType({ typeLength = 0 }: SchemaElement, refuse: Refuse): PrimitiveType {
  if (typeLength < 1) refuse.inconsistent(`its length is ${typeLength}`);
  return `fixed[${typeLength}]`;
}

function uuidType({ typeLength = 0 }: SchemaElement, refuse: Refuse): PrimitiveType {
  if (typeLength !== 16) refuse.inconsistent(`its length is ${typeLength} instead of 16`);
  return 'uuid';
}

/** CRS84 is the default in Parquet and in Iceberg. The default is left out, as Iceberg's catalogs leave it out in their answers. */
function geometryType({ logicalType }: SchemaElement, refuse: Refuse): PrimitiveType {
  const crs = logicalType?.kind === 'geometry' ? logicalType.value.crs : undefined;
  if (crs) requireReadable(crs, /^[^)\0]*$/, refuse);
  return crs ? withoutDefaults(`geometry(${crs})`) : 'geometry';
}

function geographyType({ logicalType }: SchemaElement, refuse: Refuse): PrimitiveType {
  const { crs, algorithm = 0 } = logicalType?.kind === 'geography' ? logicalType.value : {};
  const edges = edgeAlgorithms[algorithm];
  if (edges === undefined) refuse.unsupported(`its edge algorithm ${algorithm} is not known`);
  if (crs) requireReadable(crs, /^[^),\0]*$/, refuse);
  if (algorithm === 0) return crs ? withoutDefaults(`geography(${crs})`) : 'geography';
  return `geography(${crs ?? 'OGC:CRS84'}, ${edges})`;
}

/** Catalogs read the type back with a pattern of their own (Iceberg Java, `Types.fromPrimitiveString`), and refuse the whole commit where it fails. */
function requireReadable(crs: string, readable: RegExp, refuse: Refuse): void {
  if (readable.test(crs) && crs.trim() !== '') return;
  const shown = crs.length > MOST_CRS_SHOWN ? `${crs.slice(0, MOST_CRS_SHOWN)}…` : crs;
  refuse.unsupported(
    `no catalog can read its CRS ${JSON.stringify(shown)} as part of a type; write an identifier, such as "EPSG:4326" or "srid:4326"`,
  );
}

const MOST_CRS_SHOWN = 80;

function withoutDefaults(type: PrimitiveType): PrimitiveType {
  const canonical = canonicalPrimitive(type);
  return canonical.includes('(') ? type : canonical;
}

const edgeAlgorithms = ['spherical', 'vincenty', 'thomas', 'andoyer', 'karney'];
