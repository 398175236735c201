import type { ResolvedPartitionField } from '../../lib/append/transform.ts';
import { resolvePartitionFields } from '../../lib/append/transform.ts';
import type { DataFile } from '../../lib/spec/manifest.ts';
import type { PartitionSpec, PartitionValue } from '../../lib/spec/partition-spec.ts';
import type { Schema } from '../../lib/spec/schema.ts';

/** The inputs from which `files/WriteGolden.java` wrote the golden files. */
export const SNAPSHOT_ID = 8103159149723679872n;

const optional = (id: number, name: string, type: Schema['fields'][number]['type']) => ({
  id,
  name,
  required: false,
  type,
});

export const javaSchema: Schema = {
  type: 'struct',
  'schema-id': 3,
  fields: [
    { id: 1, name: 'id', required: true, type: 'long' },
    optional(2, 'b', 'boolean'),
    optional(3, 'i', 'int'),
    optional(4, 'f', 'float'),
    optional(5, 'd', 'double'),
    optional(6, 'dec', 'decimal(9, 2)'),
    optional(7, 'dt', 'date'),
    optional(8, 'tm', 'time'),
    optional(9, 'ts', 'timestamp'),
    optional(10, 'tz', 'timestamptz'),
    optional(11, 's', 'string'),
    optional(12, 'u', 'uuid'),
    optional(14, 'bin', 'binary'),
    optional(15, '9 c.x', 'string'),
    optional(16, 'dec2', 'decimal(9, 2)'),
    optional(17, 'bigdec', 'decimal(38, 10)'),
    optional(18, 'nest', { type: 'struct', fields: [optional(19, 'x', 'long')] }),
  ],
};

const sources: readonly (readonly [name: string, sourceId: number, transform: string])[] = [
  ...javaSchema.fields.filter(({ id }) => id < 18).map(({ id, name }) => [name, id, 'identity'] as const),
  ['nest.x', 19, 'identity'],
  ['ts_day', 9, 'day'],
  ['id_bucket', 1, 'bucket[16]'],
  ['t/x', 14, 'truncate[4]'],
  ['gone', 10, 'void'],
];

export const javaSpecs: Readonly<Record<'unpartitioned' | 'partitioned', PartitionSpec>> = {
  unpartitioned: { 'spec-id': 0, fields: [] },
  partitioned: {
    'spec-id': 5,
    fields: sources.map(([name, sourceId, transform], index) => ({
      name,
      transform,
      'source-id': sourceId,
      'field-id': 1000 + index,
    })),
  },
};

const hex = (text: string): PartitionValue => Buffer.from(text, 'hex');
const whole = (bytes: 4 | 8, value: bigint): PartitionValue => {
  const buffer = Buffer.alloc(8);
  buffer.writeBigInt64LE(value);
  return buffer.subarray(0, bytes);
};

const tuple: readonly PartitionValue[] = [
  whole(8, 1n << 40n),
  hex('01'),
  whole(4, -7n),
  hex('0000c03f'),
  hex('00000000000002c0'),
  hex('fd6d'),
  whole(4, 19000n),
  whole(8, 123456789n),
  whole(8, 1754856293080758n),
  whole(8, -1n),
  Buffer.from('eu/ü'),
  hex('f79c3e09677c4bbda4793f349cb785e7'),
  hex('ff00'),
  Buffer.from('q'),
  hex('0080'),
  hex('fe7116f0093c8c1f11fb56f7ff'),
  whole(8, 9n),
  whole(4, 20310n),
  whole(4, 3n),
  hex('0102'),
  null,
];

export function javaDataFiles(kind: 'unpartitioned' | 'partitioned'): readonly DataFile[] {
  const { 'spec-id': specId } = javaSpecs[kind];
  return [0, 1].map((n) => ({
    filePath: `s3://bucket/key ${n}%20ü.parquet`,
    fileSizeInBytes: BigInt(123456 + n),
    specId,
    partition: kind === 'unpartitioned' ? [] : n === 0 ? tuple : tuple.map(() => null),
    recordCount: BigInt(10 + n),
    columnSizes: new Map([[1, BigInt(100 + n)]]),
    valueCounts: new Map([[1, 5000000000n]]),
    nullValueCounts: new Map([[11, 4n]]),
    lowerBounds: new Map([[1, whole(8, -5n) ?? Buffer.alloc(0)]]),
    upperBounds: new Map([[1, whole(8, 2n ** 63n - 1n) ?? Buffer.alloc(0)]]),
    splitOffsets: [4n, 3000n],
  }));
}

export function javaPartitionFields(
  kind: 'unpartitioned' | 'partitioned',
): readonly ResolvedPartitionField[] {
  return resolvePartitionFields(javaSpecs[kind], javaSchema);
}
