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

/**
 * Names the UINT_32 columns that may hold values from 2^31 on: Iceberg's readers take the 32 bits under a `long` for signed
 * ones (case A11). Undefined if the statistics show that there are none.
 */
export function readerWarning(segments: readonly Pick<Segment, 'columns' | 'schema'>[]): string | undefined {
  const names = new Set(segments.flatMap(unsignedColumns));
  if (names.size === 0) return undefined;
  const more = names.size > MOST_NAMES ? ` and ${names.size - MOST_NAMES} more` : '';
  return (
    `UINT_32 in ${[...names].slice(0, MOST_NAMES).join(', ')}${more}: values from 2147483648 on are negative ones to Trino and Flink, and Spark refuses the column; ` +
    'write signed 64-bit integers where these engines read the table'
  );
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
