import type { Difference } from './differences.ts';

/** Where we deliberately write something other than Java, and why. docs/manifests.md lists these differences. */
export interface KnownDifference {
  readonly name: string;
  /** The path within a snapshot as a whole, indexes left out: `manifests.records.data_file.lower_bounds.5`. */
  readonly path: RegExp;
  /** Whether the two values differ only in this way. */
  readonly holds: (difference: Difference) => boolean;
  /** The files to which it applies. @default all */
  readonly files?: RegExp;
}

const onlyOurs = ({ ours, java }: Difference) => ours !== undefined && java === undefined;
const onlyJava = ({ ours, java }: Difference) => ours === undefined && java !== undefined;
const noneAndEmpty = ({ ours, java }: Difference) => ours === 'null' && java === 'empty';
/** One side has a map and the other null, so that the entries of the map have no counterpart. */
const noneBesideEntries = (none: 'ours' | 'java') => (difference: Difference) =>
  difference[none] === 'null' || difference[none] === 'empty' || difference[none] === undefined;

const counts = /^manifests\.records\.data_file\.(value_counts|null_value_counts)(\.\d+)?$/;
const bounds = /^manifests\.records\.data_file\.(lower_bounds|upper_bounds)(\.\d+)?$/;

export const knownDifferences: readonly KnownDifference[] = [
  { name: 'ledger', path: /^summary\.iceberg-registrar\./, holds: onlyOurs },
  {
    name: 'counts of manifests',
    path: /^summary\.manifests-(created|kept|replaced)$/,
    holds: onlyJava,
  },
  { name: 'version of the writer', path: /^summary\.iceberg-version$/, holds: onlyJava },
  { name: 'schema-id of a manifest', path: /^manifests\.metadata\.schema-id$/, holds: onlyOurs },
  {
    name: 'schema-id within the schema',
    path: /^manifests\.metadata\.schema\.schema-id$/,
    holds: ({ ours, java }) => ours === undefined && java === '0',
  },
  { name: 'iceberg.schema', path: /^(list|manifests)\.metadata\.iceberg\.schema\./, holds: onlyJava },
  { name: 'documentation of fields', path: /^(list|manifests)\.schema\..*\bdoc$/, holds: onlyJava },
  {
    name: 'maps without entries',
    path: /^manifests\.records\.data_file\.(nan_value_counts|value_counts|null_value_counts|lower_bounds|upper_bounds)$/,
    holds: noneAndEmpty,
  },
  { name: 'bounds of a promoted column', path: bounds, holds: isWidened },
  {
    name: 'counts without statistics',
    path: counts,
    holds: noneBesideEntries('java'),
    files: /^(A12|B17|B28|alltypes_|byte_array_decimal|int96_)/,
  },
  {
    name: 'required columns beyond the hundredth',
    path: /^manifests\.records\.data_file\.(column_sizes|value_counts|null_value_counts)\.\d+$/,
    holds: onlyOurs,
    files: /^A33/,
  },
  {
    name: 'text that is no UTF-8',
    path: bounds,
    holds: noneBesideEntries('ours'),
    files: /^B8-invalid-utf8/,
  },
  { name: 'columns without an order', path: bounds, holds: noneBesideEntries('ours'), files: /^ORDER-none/ },
  { name: 'cut bounds of fixed columns', path: bounds, holds: noneBesideEntries('ours'), files: /^W17/ },
  {
    name: 'old bounds of decimals in integers',
    path: bounds,
    holds: noneBesideEntries('java'),
    files: /^int(32|64)_decimal/,
  },
];

/** Files that Java cannot append at all. */
export const knownRefusals: readonly {
  readonly name: string;
  readonly files: RegExp;
  readonly refusal: RegExp;
}[] = [
  { name: 'UINT_32', files: /^W(02|13|18|20)-/, refusal: /Integer cannot be cast to class java.lang.Long/ },
  { name: 'MAP_KEY_VALUE', files: /^A10-map-key-value/, refusal: /cannot have repetition REPEATED/ },
  { name: 'statistics too short for their type', files: /^B14-/, refusal: /ArrayIndexOutOfBounds/ },
];

/** The name of the known difference that explains a difference in a file's snapshot. */
export function nameOf(difference: Difference, file: string): string | undefined {
  const path = difference.path.replaceAll(/\.\d+(?=\.)/g, '');
  return knownDifferences.find(
    (known) => known.path.test(path) && (known.files?.test(file) ?? true) && known.holds(difference),
  )?.name;
}

/** Whether both are the same little-endian number, ours of eight bytes and Java's of four. */
function isWidened({ ours, java }: Difference): boolean {
  if (ours?.length !== 16 || java?.length !== 8) return false;
  const [wide, narrow] = [Buffer.from(ours, 'hex'), Buffer.from(java, 'hex')];
  return (
    wide.readBigInt64LE() === BigInt(narrow.readInt32LE()) || wide.readDoubleLE() === narrow.readFloatLE()
  );
}
