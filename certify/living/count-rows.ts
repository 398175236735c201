import type { Schema } from '../../lib/spec/schema.ts';
import type { Canonical, Row } from '../../test/integration/readers/canonical.ts';
import { checksum } from '../../test/soak/readings.ts';
import { canonicalised, type ReadRow } from '../read-value.ts';
import type { CountedRows } from './rows.ts';

/** Counts rows of `readings` in the notation of the engine that returned them. */
export function countRows(schema: Schema, rows: readonly ReadRow[]): CountedRows {
  const read = rows.map((row) => asShipped(canonicalised(schema, row)));
  const seqs = new Set(read.map(({ seq }) => String(seq)));
  return { rows: read.length, distinct: seqs.size, checksum: checksum(read), seqs };
}

function asShipped(row: Row) {
  const firmware = row['firmware'] as Readonly<Record<string, string | null>> | null;
  const text = (name: string) => row[name] as string | null;
  return {
    seq: text('seq'),
    device: text('device'),
    measured_at: micros(row['measured_at'] ?? null),
    reading: text('reading'),
    remark: text('remark'),
    level: text('level'),
    firmware,
  };
}

/** Microseconds since 1970 of `2026-01-01T00:00:00.000000+00:00`. */
function micros(value: Canonical): bigint | null {
  const [, seconds, fraction] = /^(.{19})\.(\d{6})\+00:00$/.exec(String(value)) ?? [];
  if (seconds === undefined || fraction === undefined) return null;
  return BigInt(Date.parse(`${seconds}Z`)) * 1_000n + BigInt(fraction);
}
