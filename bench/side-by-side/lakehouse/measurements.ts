import { parquetWriteBuffer } from 'hyparquet-writer';
import type { Schema } from '../../../lib/spec/schema.ts';
import { type Dice, seededDice } from '../../../local/shipper/dice.ts';
import { parquetSchema } from '../../../local/shipper/parquet-schema.ts';
import { optional, required, schema, struct } from '../../../local/shipper/schema-notation.ts';

export const ROWS = 10_000;

/** Twelve columns, fifteen field IDs: what the benchmark's segments hold. */
export const measurementsSchema: Schema = {
  'schema-id': 0,
  ...schema(
    required(1, 'id', 'long'),
    required(2, 'device', 'string'),
    required(3, 'measured_at', 'timestamptz'),
    required(4, 'day', 'date'),
    optional(5, 'reading', 'double'),
    optional(6, 'level', 'int'),
    optional(7, 'counter', 'long'),
    required(8, 'valid', 'boolean'),
    optional(9, 'unit', 'string'),
    optional(10, 'cost', 'decimal(12,2)'),
    optional(11, 'note', 'string'),
    optional(
      12,
      'position',
      struct(
        optional(13, 'latitude', 'double'),
        optional(14, 'longitude', 'double'),
        optional(15, 'place', 'string'),
      ),
    ),
  ),
};

const START_MICROS = 1_767_225_600_000_000n;
const START_DAY = 20_454;

/** One segment as Parquet: one row group, its IDs from 0 on; another `template` has other values. */
export function measurements(template: number): Uint8Array {
  const dice = seededDice(`measurements/${template}`);
  const rows = Array.from({ length: ROWS }, (_, row) => measurement(dice, BigInt(row)));
  return new Uint8Array(
    parquetWriteBuffer({
      schema: parquetSchema(measurementsSchema),
      columnData: measurementsSchema.fields.map(({ name }) => ({
        name,
        data: rows.map((row) => row[name as keyof typeof row]),
      })),
      rowGroupSize: ROWS,
      createdBy: 'benchmark',
    }),
  );
}

function measurement(dice: Dice, id: bigint) {
  return {
    id,
    device: `press-${dice.integer(1, 240)}`,
    measured_at: START_MICROS + id * 250_000n,
    day: START_DAY + dice.integer(0, 3),
    reading: dice.chance(0.1) ? null : dice.fraction() * 100,
    level: dice.integer(-40, 40),
    counter: BigInt(dice.integer(0, 2 ** 40)),
    valid: dice.chance(0.9),
    unit: dice.pick(['bar', 'kPa', '°C', null]),
    cost: dice.chance(0.05) ? null : BigInt(dice.integer(0, 9_999_999)),
    note: dice.chance(0.7) ? null : dice.pick(['ok', 'over temperature', 'Öldruck', '名古屋']),
    position: dice.chance(0.1)
      ? null
      : {
          latitude: dice.fraction() * 180 - 90,
          longitude: dice.fraction() * 360 - 180,
          place: `hall ${dice.integer(1, 9)}`,
        },
  };
}
