/**
 * Warnings about values that are registered correctly but that not every engine reads correctly. docs/compatibility.md shows
 * what each engine reads.
 */

import { indexById } from '../spec/schema.ts';
import { wholeNumber } from '../spec/single-value.ts';
import { formatPath } from './parquet-schema.ts';
import type { Column } from './row-groups.ts';
import type { Segment } from './segment.ts';

/** The greatest value that is the same in signed and in unsigned 32 bits. */
const GREATEST_SIGNED = 2n ** 31n - 1n;
const MOST_NAMES = 5;

type Warned = Pick<Segment, 'columns' | 'schema' | 'codecs' | 'uri'>;

/** Says what in these segments certain engines cannot read or read incorrectly; undefined if there is nothing. */
export function readerWarning(segments: readonly Warned[]): string | undefined {
  const warnings = [
    unsignedWarning(segments),
    reservedNameWarning(segments),
    codecWarning(segments),
    pathWarning(segments),
  ];
  const given = warnings.filter((warning) => warning !== undefined);
  return given.length === 0 ? undefined : given.join('. ');
}

/**
 * Names the UINT_32 columns that may hold values from 2^31 on: Iceberg's readers take the 32 bits under a `long` for signed
 * ones (case A11). Undefined if the statistics show that there are none.
 */
function unsignedWarning(segments: readonly Warned[]): string | undefined {
  const names = namesOf(segments.flatMap(unsignedColumns));
  if (names === undefined) return undefined;
  return (
    `UINT_32 in ${names}: values from 2147483648 on are negative ones to Trino and Flink, and Spark refuses the column; ` +
    'write signed 64-bit integers where these engines read the table'
  );
}

/** Names of Iceberg's metadata columns (spec, "Reserved Field IDs"; Iceberg Java, `MetadataColumns`). */
const RESERVED_NAMES: ReadonlySet<string> = new Set([
  '_file',
  '_pos',
  '_deleted',
  '_spec_id',
  '_partition',
  '_row_id',
  '_last_updated_sequence_number',
]);

/** Spark refuses to read a column that is named like a metadata column, and so every `SELECT *` of its table. */
function reservedNameWarning(segments: readonly Warned[]): string | undefined {
  const reserved = segments.flatMap(({ schema }) =>
    schema.fields.filter(({ name }) => RESERVED_NAMES.has(name)).map(({ name }) => formatPath([name])),
  );
  const names = namesOf(reserved);
  if (names === undefined) return undefined;
  return (
    `reserved name ${names}: Spark cannot read a column that is named like one of Iceberg's metadata columns, nor SELECT * of its table; ` +
    'rename the column in the dataset, or in the table with ALTER TABLE'
  );
}

/** Codecs that some engines come without, by their number in parquet.thrift (`CompressionCodec`). */
const RARE_CODECS: ReadonlyMap<number, string> = new Map([
  [3, 'LZO: Spark, DuckDB and PyIceberg'],
  [4, 'BROTLI: Spark and Trino'],
]);

function codecWarning(segments: readonly Warned[]): string | undefined {
  const codecs = new Set(segments.flatMap((segment) => [...segment.codecs]));
  const names = [...codecs].sort().flatMap((codec) => RARE_CODECS.get(codec) ?? []);
  if (names.length === 0) return undefined;
  return `compressed with ${names.join(', with ')} come without the codec; compress with ZSTD, SNAPPY or GZIP where these engines read the table`;
}

/** PyArrow refuses such paths, and with them every scan of the table that has one. */
function pathWarning(segments: readonly Warned[]): string | undefined {
  const names = namesOf(segments.flatMap(({ uri }) => (isUnusual(uri) ? formatPath([uri]) : [])));
  if (names === undefined) return undefined;
  return (
    `path ${names}: PyIceberg and Polars cannot read a table with a path that has an empty part ("//"), a part "." or "..", or a control character; ` +
    'upload under keys without'
  );
}

/** Whether a key has an empty, `.` or `..` part, or a control character: S3 allows it, and it is registered as it is (case E24). */
function isUnusual(uri: string): boolean {
  const key = /^[^/]*:\/\/[^/]*(\/.*)/s.exec(uri)?.[1] ?? '';
  return /\/\.{0,2}(\/|$)|\p{Cc}/u.test(key);
}

/** The first of these names, each once, and how many more there are. */
function namesOf(all: readonly string[]): string | undefined {
  const names = [...new Set(all)];
  if (names.length === 0) return undefined;
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : '';
  return `${names.slice(0, MOST_NAMES).join(', ')}${more}`;
}

function unsignedColumns({ columns, schema }: Pick<Segment, 'columns' | 'schema'>): readonly string[] {
  const found = columns.filter(mayBeNegative);
  if (found.length === 0) return [];
  const fields = indexById(schema);
  return found.map(({ fieldId }) => formatPath(fields.get(fieldId)?.path ?? []));
}

function mayBeNegative({ form, type, valueCount, nullCount, upper }: Column): boolean {
  if (form !== 'uint32' || nullCount === valueCount) return false;
  return upper === undefined || wholeNumber(type, upper.bytes) > GREATEST_SIGNED;
}
