import type { Schema } from '../../lib/spec/schema.ts';
import { type Column, columnsOf } from '../shipper/column.ts';
import { compareValues, type Value } from '../shipper/dataset.ts';
import type { SegmentLog } from '../shipper/segment-log.ts';
import { boundValue } from './bound-value.ts';
import type { LiveFile } from './manifest-entries.ts';
import { differ } from './read-back.ts';

export interface ShippedSegment {
  readonly uri: string;
  readonly sizeBytes: number;
  readonly log: SegmentLog;
}

/** The differences between a table's manifests and what was shipped: presence, rows, sizes, counts and bounds of every file. */
export function fileDifferences(
  table: string,
  schema: Schema,
  shipped: readonly ShippedSegment[],
  files: readonly LiveFile[],
): readonly string[] {
  const byUri = Map.groupBy(files, ({ uri }) => uri);
  const expected = new Set(shipped.map(({ uri }) => uri));
  const strangers = files
    .filter(({ uri }) => !expected.has(uri))
    .map(({ uri }) => `${table}: nobody shipped "${uri}"`);
  const lines = shipped.flatMap((segment) => {
    const [file, ...again] = byUri.get(segment.uri) ?? [];
    if (file === undefined) return [`${table}: "${segment.uri}" is not in the table`];
    if (again.length > 0) return [`${table}: "${segment.uri}" is in the table ${again.length + 1} times`];
    return segmentDifferences(`${table}, "${segment.uri}"`, schema, segment, file);
  });
  return [...strangers, ...lines];
}

function segmentDifferences(
  what: string,
  schema: Schema,
  segment: ShippedSegment,
  file: LiveFile,
): readonly string[] {
  return [
    ...differ(`${what}: record_count`, file.rows, segment.log.rows),
    ...differ(`${what}: file_size_in_bytes`, file.sizeBytes, segment.sizeBytes),
    ...columnsOf(schema).flatMap((column) => columnDifferences(what, column, segment.log, file)),
  ];
}

function columnDifferences(
  what: string,
  { id, path, type }: Column,
  log: SegmentLog,
  file: LiveFile,
): readonly string[] {
  const column = log.columns.get(id);
  if (column === undefined || typeof type !== 'string') return [];
  const name = `${what}: column ${path.join('.')}`;
  const lines = [
    ...differ(`${name}: value_count`, file.valueCounts.get(id), log.rows),
    ...differ(`${name}: null_value_count`, file.nullCounts.get(id), column.nulls),
  ];
  if (column.least === undefined || column.greatest === undefined) return lines;
  const [lower, upper] = [file.lowerBounds.get(id), file.upperBounds.get(id)].map(
    (bytes) => bytes && boundValue(type, bytes),
  );
  if (!isLowerBound(type, lower, column.least))
    lines.push(`${name}: lower_bound is ${show(lower)}, its least value ${show(column.least)}`);
  if (!isUpperBound(type, upper, column.greatest))
    lines.push(`${name}: upper_bound is ${show(upper)}, its greatest value ${show(column.greatest)}`);
  return lines;
}

/** Bounds of text and bytes may be truncated: downwards for a lower bound, upwards for an upper one. All others are exact. */
function isLowerBound(type: string, bound: Value | undefined, least: Value): boolean {
  if (bound === undefined) return false;
  return isTruncatable(type) ? compareValues(bound, least) <= 0 : sameValue(bound, least);
}

function isUpperBound(type: string, bound: Value | undefined, greatest: Value): boolean {
  if (bound === undefined) return false;
  return isTruncatable(type) ? compareValues(bound, greatest) >= 0 : sameValue(bound, greatest);
}

function sameValue(a: Value, b: Value): boolean {
  return compareValues(a, b) === 0;
}

function isTruncatable(type: string): boolean {
  return type === 'string' || type === 'binary';
}

function show(value: Value | undefined): string {
  if (value instanceof Uint8Array) return `0x${Buffer.from(value).toString('hex')}`;
  return value === undefined ? 'absent' : `"${value}"`;
}
