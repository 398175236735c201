/** One fuzzed footer: made, read to the end, and held to the promises of the segment stage. */

import { RegistrarError } from '../../lib/errors.ts';
import { decodeFooter, type Footer } from '../../lib/segment/footer.ts';
import { metricsOf } from '../../lib/segment/metrics.ts';
import { metricsConfig } from '../../lib/segment/metrics-config.ts';
import { segmentOf } from '../../lib/segment/segment.ts';
import { seededDice } from '../../local/shipper/dice.ts';
import { encode } from './compact-writer.ts';
import { damageBytes, damageStructure } from './mutate.ts';
import { randomFooter } from './random-footer.ts';

/** How far an input got: not decoded; decoded, so that its schema was walked; made a segment, or found empty. */
export type Depth = 'undecoded' | 'schema' | 'end';

const refusals = new Set([
  'segment.unreadable',
  'segment.inconsistent',
  'sink.iceberg_unsupported_type',
  'sink.iceberg_schema_mismatch',
]);

/** A footer: real or made, damaged in its structure or its bytes or not at all. */
export function fuzzedFooter(seed: string, real: readonly Uint8Array[]): Uint8Array {
  const dice = seededDice(seed);
  const original = real[dice.integer(0, real.length - 1)];
  if (original && dice.chance(0.3)) return dice.chance(0.1) ? original : damageBytes(dice, original);
  const { footer } = randomFooter(dice);
  const damaged = dice.chance(0.5) ? damageStructure(dice, footer) : footer;
  const bytes = encode(damaged);
  return dice.chance(0.3) ? damageBytes(dice, bytes) : bytes;
}

/**
 * Reads a footer as a registration would.
 *
 * @throws whatever breaks a promise: an error that is no typed refusal of one segment, or more work than the footer's size allows
 */
export function readFuzzed(bytes: Uint8Array, formatVersion: 2 | 3): Depth {
  let depth: Depth = 'undecoded';
  try {
    const footer = decodeFooter(bytes);
    depth = 'schema';
    checkWork(footer, bytes.length);
    const read = {
      kind: 'footer',
      uri: 's3://b/k',
      bytes,
      etag: 'e',
      sizeBytes: 1_000_012 + bytes.length,
      lastModifiedMs: 0,
    } as const;
    const segment = segmentOf({ scheme: 's3', bucket: 'b', key: 'k' }, read, {
      formatVersion,
      fieldIds: 'by_name',
      caseSensitiveNames: false,
      timestampMillis: 'accept',
    });
    if (segment !== 'empty') metricsOf(segment, segment.schema, metricsConfig({}, segment.schema));
    return 'end';
  } catch (error) {
    if (error instanceof RegistrarError && refusals.has(error.code)) return depth;
    throw error;
  }
}

/** Each pass over the footer meets at most one value a byte; there are two passes, over everything and over the row groups. */
function checkWork(footer: Footer, sizeBytes: number): void {
  try {
    for (const group of footer.rowGroups()) void group;
  } finally {
    if (footer.work() > 2 * sizeBytes) {
      // biome-ignore lint/correctness/noUnsafeFinally: a broken promise outranks a refusal.
      throw new Error(`${footer.work()} values were met in ${sizeBytes} bytes`);
    }
  }
}
