import { describe, expect, test } from 'vitest';
import { metricsOf } from '../../lib/segment/metrics.ts';
import { metricsConfig } from '../../lib/segment/metrics-config.ts';
import type { Metrics } from '../../lib/spec/manifest.ts';
import type { PrimitiveType, Schema } from '../../lib/spec/schema.ts';
import {
  type FlatColumn,
  type FlatGroup,
  flatFooter,
  float64,
  int32,
  int64,
  segmentFrom,
  utf8,
} from './flat-footer.ts';

const [INT32, INT64, FLOAT, DOUBLE, BYTE_ARRAY, FIXED] = [1, 2, 4, 5, 6, 7];

/** The metrics of one column `c` with ID 1, in a table where it has a type of its own or the file's. */
function metrics(
  column: Partial<FlatColumn> & { physical: number },
  groups: readonly FlatGroup[],
  {
    tableType,
    properties = {},
    withOrders = true,
  }: { tableType?: PrimitiveType; properties?: Record<string, string>; withOrders?: boolean } = {},
): Metrics {
  const segment = segmentFrom(flatFooter([{ name: 'c', ...column }], groups, { withOrders }));
  const field = segment.schema.fields[0];
  if (field === undefined) throw new Error('no field');
  const table: Schema = { type: 'struct', fields: [{ ...field, type: tableType ?? field.type }] };
  return metricsOf(segment, table, metricsConfig(properties, table));
}

const group = (min: Uint8Array, max: Uint8Array, nulls = 0, rows = 10): FlatGroup => ({
  rows,
  statistics: [{ nulls, min, max }],
});
const hex = (bytes: Uint8Array | undefined): string | undefined =>
  bytes && Buffer.from(bytes).toString('hex');
const bounds = ({ lowerBounds, upperBounds }: Metrics) => [hex(lowerBounds.get(1)), hex(upperBounds.get(1))];
const none = [undefined, undefined];

describe('metricsOf: bounds', () => {
  test('are in the width of the table, not of the file: int under long, float under double (B14)', () => {
    const groups = [group(int32(-2), int32(7))];
    expect(bounds(metrics({ physical: INT32 }, groups))).toEqual(['feffffff', '07000000']);
    expect(bounds(metrics({ physical: INT32 }, groups, { tableType: 'long' }))).toEqual([
      'feffffffffffffff',
      '0700000000000000',
    ]);
    const floats = [
      group(new Uint8Array(Float32Array.of(0.5).buffer), new Uint8Array(Float32Array.of(2).buffer)),
    ];
    expect(bounds(metrics({ physical: FLOAT }, floats, { tableType: 'double' }))).toEqual([
      hex(float64(0.5)),
      hex(float64(2)),
    ]);
  });

  test('do not change where the table has a decimal of more digits', () => {
    const column = { physical: INT32, converted: 5, precision: 7, scale: 2 };
    expect(bounds(metrics(column, [group(int32(-659), int32(128))], { tableType: 'decimal(9,2)' }))).toEqual([
      'fd6d',
      '0080',
    ]);
  });

  test('are left out where the table has a type that the file does not read as', () => {
    expect(
      bounds(metrics({ physical: INT32 }, [group(int32(1), int32(2))], { tableType: 'string' })),
    ).toEqual(none);
  });

  test('merge row groups as signed numbers, not as bytes: int and decimals of every carrier (B11)', () => {
    expect(
      bounds(metrics({ physical: INT32 }, [group(int32(5), int32(256)), group(int32(-1), int32(1))])),
    ).toEqual(['ffffffff', '00010000']);
    const onBytes = { physical: BYTE_ARRAY, converted: 5, precision: 9, scale: 0 };
    const value = (...bytes: number[]) => Uint8Array.from(bytes);
    expect(
      bounds(
        metrics(onBytes, [group(value(1), value(1, 0)), group(value(0xfe, 0xee, 0x90), value(0, 0x7f))]),
      ),
    ).toEqual(['feee90', '0100']);
  });

  test('take uint32 as unsigned, in eight bytes (A11)', () => {
    const column = { physical: INT32, converted: 13 };
    expect(bounds(metrics(column, [group(int32(1), int32(-1)), group(int32(5), int32(-2))]))).toEqual([
      '0100000000000000',
      'ffffffff00000000',
    ]);
  });

  test('keep 64-bit values to the last bit (B12, B13)', () => {
    const [low, high] = [-(2n ** 63n), 9007199254740993n];
    expect(bounds(metrics({ physical: INT64 }, [group(int64(low), int64(high))]))).toEqual([
      '0000000000000080',
      '0100000000002000',
    ]);
  });

  test('of a NaN are none, whichever row group and side has it (B1)', () => {
    const good = group(float64(1), float64(2));
    for (const bad of [group(float64(Number.NaN), float64(2)), group(float64(1), float64(Number.NaN))]) {
      expect(bounds(metrics({ physical: DOUBLE }, [good, bad]))).toEqual(none);
      expect(bounds(metrics({ physical: DOUBLE }, [bad, good]))).toEqual(none);
    }
  });

  test('are none where one row group has them the wrong way round: its writer orders values differently', () => {
    const onFixed = { physical: FIXED, typeLength: 2, converted: 5, precision: 4, scale: 0 };
    const value = (...bytes: number[]) => Uint8Array.from(bytes);
    // -5, 3 and 700 in the order of unsigned bytes; the other row group would hide that from the merged bounds.
    const unsigned = group(value(0, 3), value(0xff, 0xfb));
    const wide = group(value(0xff, 0xf6), value(0, 20));
    expect(bounds(metrics(onFixed, [unsigned, wide]))).toEqual(none);
    expect(bounds(metrics(onFixed, [wide, unsigned]))).toEqual(none);
  });

  test('of a NaN are none even where the other side was unknown before', () => {
    const halfKnown = { rows: 10, statistics: [{ nulls: 0, max: float64(2) }] };
    expect(
      bounds(metrics({ physical: DOUBLE }, [halfKnown, group(float64(Number.NaN), float64(3))])),
    ).toEqual(none);
  });

  test('of zero stand for both zeros (B2)', () => {
    expect(bounds(metrics({ physical: DOUBLE }, [group(float64(0), float64(-0))]))).toEqual([
      hex(float64(-0)),
      hex(float64(0)),
    ]);
  });

  test('need the statistics of every row group that has values; an all-null one needs none (B24)', () => {
    const known = group(int32(1), int32(2));
    const allNull = { rows: 3, statistics: [{ nulls: 3 }] };
    const unknown = { rows: 3, statistics: [{ nulls: 0 }] };
    expect(bounds(metrics({ physical: INT32 }, [known, allNull]))).toEqual(['01000000', '02000000']);
    expect(bounds(metrics({ physical: INT32 }, [known, unknown]))).toEqual(none);
    expect(bounds(metrics({ physical: INT32 }, [allNull]))).toEqual(none);
  });

  test('need bytes of the right width (B14)', () => {
    expect(bounds(metrics({ physical: INT32 }, [group(Uint8Array.of(1, 2, 3), int32(2))]))).toEqual([
      undefined,
      '02000000',
    ]);
    expect(
      bounds(
        metrics({ physical: FIXED, typeLength: 3 }, [group(Uint8Array.of(1, 2), Uint8Array.of(1, 2, 3))]),
      ),
    ).toEqual([undefined, '010203']);
  });

  test('are none where the lower one lies above the upper one', () => {
    expect(bounds(metrics({ physical: INT32 }, [group(int32(3), int32(2))]))).toEqual(none);
  });

  test('need a declared order that is known', () => {
    const groups = [group(int32(1), int32(2))];
    expect(bounds(metrics({ physical: INT32 }, groups, { withOrders: false }))).toEqual(none);
    expect(bounds(metrics({ physical: INT32, order: 4 }, groups))).toEqual(none);
  });

  test('take the total order of floats, and that order of nothing else', () => {
    expect(bounds(metrics({ physical: DOUBLE, order: 2 }, [group(float64(1), float64(2))]))).toEqual([
      hex(float64(1)),
      hex(float64(2)),
    ]);
    expect(bounds(metrics({ physical: INT32, order: 2 }, [group(int32(1), int32(2))]))).toEqual(none);
  });

  test('come from the deprecated min and max of signed numbers only', () => {
    const old = (oldMin: Uint8Array, oldMax: Uint8Array) => [
      { rows: 10, statistics: [{ nulls: 0, oldMin, oldMax }] },
    ];
    const numbers = old(int32(-1), int32(2));
    expect(bounds(metrics({ physical: INT32 }, numbers, { withOrders: false }))).toEqual([
      'ffffffff',
      '02000000',
    ]);
    expect(bounds(metrics({ physical: INT32 }, numbers))).toEqual(['ffffffff', '02000000']);
    expect(bounds(metrics({ physical: INT32, order: 4 }, numbers))).toEqual(none);
    expect(bounds(metrics({ physical: INT32, converted: 13 }, numbers))).toEqual(none);
    expect(bounds(metrics({ physical: BYTE_ARRAY, converted: 0 }, old(utf8('a'), utf8('b'))))).toEqual(none);
  });

  test('of INT96 are none (A12)', () => {
    const twelve = new Uint8Array(12);
    const made = metrics({ physical: 3 }, [group(twelve, twelve, 1)]);
    expect(bounds(made)).toEqual(none);
    expect(made.nullValueCounts.get(1)).toBe(1n);
  });

  test('of text that is not UTF-8 are none; the other side stays (B8)', () => {
    const column = { physical: BYTE_ARRAY, converted: 0 };
    expect(bounds(metrics(column, [group(utf8('a'), Uint8Array.of(0x61, 0xff))]))).toEqual(['61', undefined]);
  });
});

describe('metricsOf: counts', () => {
  test('are unknown, not zero, where a row group does not say (B17)', () => {
    const made = metrics({ physical: INT32 }, [
      group(int32(1), int32(2), 4),
      { rows: 5, statistics: [undefined] },
    ]);
    expect(made.valueCounts.get(1)).toBe(15n);
    expect(made.nullValueCounts.has(1)).toBe(false);
    expect(bounds(made)).toEqual(none);
  });

  test('include nulls in the values, and sum over the row groups (B18)', () => {
    const made = metrics({ physical: INT32 }, [group(int32(1), int32(2), 4), group(int32(1), int32(2), 1)]);
    expect(made.valueCounts.get(1)).toBe(20n);
    expect(made.nullValueCounts.get(1)).toBe(5n);
  });

  test.each([-1, 11])('that cannot be are unknown: %i nulls of 10 values', (nulls) => {
    const made = metrics({ physical: INT32 }, [group(int32(1), int32(2), nulls)]);
    expect(made.nullValueCounts.has(1)).toBe(false);
  });

  test('of a required column are zero nulls, whatever the statistics say', () => {
    const made = metrics({ physical: INT32, isRequired: true }, [{ rows: 5, statistics: [undefined] }]);
    expect(made.nullValueCounts.get(1)).toBe(0n);
  });
});

describe('metricsOf: what the table wants', () => {
  const text = [group(utf8('0123456789abcdefgh'), utf8('z'))];
  const column = { physical: BYTE_ARRAY, converted: 0 };
  const with_ = (mode: string) =>
    metrics(column, text, { properties: { 'write.metadata.metrics.column.c': mode } });

  test('none: nothing', () => {
    const made = with_('none');
    expect([made.columnSizes.size, made.valueCounts.size, made.lowerBounds.size]).toEqual([0, 0, 0]);
  });

  test('counts: no bounds', () => {
    const made = with_('counts');
    expect([made.columnSizes.get(1), made.valueCounts.get(1), made.lowerBounds.size]).toEqual([100n, 10n, 0]);
  });

  test('truncate(n) and full', () => {
    expect(bounds(with_('truncate(2)'))).toEqual([hex(utf8('01')), hex(utf8('z'))]);
    expect(bounds(with_('full'))).toEqual([hex(utf8('0123456789abcdefgh')), hex(utf8('z'))]);
    expect(bounds(metrics(column, text))).toEqual([hex(utf8('0123456789abcdef')), hex(utf8('z'))]);
  });

  test('columns that the table does not have: nothing', () => {
    const segment = segmentFrom(flatFooter([{ name: 'c', ...column }], text));
    const made = metricsOf(
      segment,
      { type: 'struct', fields: [] },
      metricsConfig({}, { type: 'struct', fields: [] }),
    );
    expect(made.columnSizes.size).toBe(0);
  });
});
