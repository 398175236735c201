import type { Schema } from '../../lib/spec/schema.ts';
import type { Dice } from './dice.ts';

/**
 * A value in the shipper's memory: int, float, double and date (days) are numbers; long, decimal (unscaled), time
 * and timestamps (microseconds, or nanoseconds by their type) are bigints; uuid, fixed and binary are bytes; maps are Maps; structs are objects by field name.
 */
export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | readonly Value[]
  | ReadonlyMap<string, Value>
  | { readonly [fieldName: string]: Value };

/** Values by the column names of the dataset's newest schema. */
export type Row = Readonly<Record<string, Value>>;

export interface Dataset {
  readonly name: string;
  /** The dataset's schemas, oldest first. Their first column is `seq`, which is unique in the dataset. */
  readonly versions: readonly [Schema, ...Schema[]];
  /** Number and size of the segments that a demo ships. */
  readonly segments: number;
  readonly rowsPerSegment: number;
  /** Makes one row for `versions[version]`. Values of a promoted column exceed the narrow range only from its promotion on. */
  readonly row: (dice: Dice, seq: bigint, version: number) => Row;
}

/** The dataset's last schema. */
export function newestSchema(dataset: Dataset): Schema {
  return dataset.versions.at(-1) ?? dataset.versions[0];
}

/** The order of Iceberg's bounds for two values of one primitive type; made-up text has no surrogates, so `<` is its code point order. */
export function compareValues(a: Value, b: Value): number {
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b);
  if (a === null || b === null)
    throw new Error('Cannot compare null: it has no place in the order of bounds');
  return a < b ? -1 : a > b ? 1 : 0;
}

/** 2026-01-01T00:00:00Z, when all synthetic times begin. */
export const epochMicros = 1_767_225_600_000_000n;
export const epochDay = 20_454;
