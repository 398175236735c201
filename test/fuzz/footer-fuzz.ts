/** One fuzzed footer: made, read to the end, appended, and held to the promises of those stages. */

import { RegistrarError } from '../../lib/errors.ts';
import { decodeFooter, type Footer } from '../../lib/segment/footer.ts';
import { metricsOf } from '../../lib/segment/metrics.ts';
import { metricsConfig } from '../../lib/segment/metrics-config.ts';
import { type Segment, segmentOf } from '../../lib/segment/segment.ts';
import type { DataFile } from '../../lib/spec/manifest.ts';
import { seededDice } from '../../local/shipper/dice.ts';
import { firstAppend } from '../append/table.ts';
import { tableState } from '../fakes/table-state.ts';
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
    if (segment !== 'empty') appendBatch(segment, formatVersion);
    return 'end';
  } catch (error) {
    if (error instanceof RegistrarError && refusals.has(error.code)) return depth;
    throw error;
  }
}

/** Files in a batch: what one of them claims to hold must not add up to more than the table's own counts can. */
const BATCH = 8;

/** Appends a batch of such segments, up to the bytes of manifest and manifest list. */
function appendBatch(segment: Segment, formatVersion: 2 | 3): void {
  const schema = { ...segment.schema, 'schema-id': 0 };
  const state = tableState({ formatVersion, nextRowId: 0n, schemas: [schema], currentSchema: schema });
  const file: DataFile = {
    ...metricsOf(segment, schema, metricsConfig({}, schema)),
    filePath: segment.uri,
    fileSizeInBytes: BigInt(segment.sizeBytes),
    specId: 0,
    partition: [],
  };
  firstAppend(
    state,
    Array.from({ length: BATCH }, () => file),
  );
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
