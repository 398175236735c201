import { createHash } from 'node:crypto';
import { type Dataset, epochMicros, type Row, type Value } from '../../local/shipper/dataset.ts';
import { optional, required, schema, struct } from '../../local/shipper/schema-notation.ts';

const version = optional(7, 'version', 'string');
const columns = [
  required(1, 'seq', 'long'),
  required(2, 'device', 'string'),
  required(3, 'measured_at', 'timestamptz'),
] as const;

/** One of the soak's datasets: its schema promotes, renames and adds, then adds once more, inside a struct too. */
export function readings(name: string): Dataset {
  return {
    name,
    segments: 0,
    rowsPerSegment: 20,
    versions: [
      schema(
        ...columns,
        optional(4, 'reading', 'int'),
        optional(5, 'note', 'string'),
        optional(6, 'firmware', struct(version)),
      ),
      schema(
        ...columns,
        optional(4, 'reading', 'long'),
        optional(5, 'remark', 'string'),
        optional(6, 'firmware', struct(version)),
        optional(8, 'level', 'int'),
      ),
      schema(
        ...columns,
        optional(4, 'reading', 'long'),
        optional(5, 'remark', 'string'),
        optional(6, 'firmware', struct(version, optional(9, 'channel', 'string'))),
        optional(8, 'level', 'int'),
      ),
    ],
    row: (dice, seq, versionIndex) => ({
      seq,
      device: `press-${dice.integer(1, 240)}`,
      measured_at: epochMicros + seq * 250_000n,
      reading: dice.chance(0.1) ? null : dice.integer(0, versionIndex === 0 ? 2 ** 31 - 1 : 2 ** 40),
      remark: dice.chance(0.5) ? null : dice.pick(['ok', 'over temperature', 'Öldruck', '名古屋']),
      firmware: dice.chance(0.1)
        ? null
        : { version: `${dice.integer(1, 4)}.0`, channel: versionIndex < 2 ? null : 'beta' },
      level: dice.integer(-40, 40),
    }),
  };
}

/**
 * The sum, over the rows, of the first four bytes of MD5(`seq|device|measured_at|reading|remark|level|version|channel`), null being
 * `~`: what every engine of the soak can compute too. Values that changed places, or rows, change it.
 */
export function checksum(rows: readonly Row[]): bigint {
  return rows.reduce((sum, row) => sum + BigInt(md5Head(rowText(row))), 0n);
}

function rowText(row: Row): string {
  const firmware = (row['firmware'] ?? {}) as Readonly<Record<string, Value>>;
  return [
    row['seq'],
    row['device'],
    row['measured_at'],
    row['reading'],
    row['remark'] ?? row['note'],
    row['level'],
    firmware['version'],
    firmware['channel'],
  ]
    .map((value) => value ?? '~')
    .join('|');
}

function md5Head(text: string): number {
  return createHash('md5').update(text).digest().readUInt32BE(0);
}
