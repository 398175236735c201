import { int, type JsonObject, long, object, optional, text, texts } from './json-object.ts';
import type { Snapshot } from './snapshot.ts';

/** Reads a snapshot from the metadata's JSON (spec, "Snapshots"). @throws TypeError naming the field */
export function readSnapshot(json: unknown): Snapshot {
  const snapshot = object(json, 'a snapshot');
  const firstRowId = optional(long, snapshot, 'first-row-id');
  const addedRows = optional(long, snapshot, 'added-rows');
  return {
    snapshotId: long(snapshot, 'snapshot-id'),
    parentSnapshotId: readSnapshotId(snapshot, 'parent-snapshot-id'),
    sequenceNumber: optional(long, snapshot, 'sequence-number') ?? 0n,
    timestampMs: long(snapshot, 'timestamp-ms'),
    manifestList: optional(text, snapshot, 'manifest-list'),
    summary: optional(texts, snapshot, 'summary') ?? {},
    schemaId: optional(int, snapshot, 'schema-id'),
    ...(firstRowId !== undefined && { firstRowId }),
    ...(addedRows !== undefined && { addedRows }),
  };
}

/** A snapshot's ID; -1, null and absent all mean none (cases.md C15). */
export function readSnapshotId(json: JsonObject, key: string): bigint | undefined {
  const id = optional(long, json, key);
  return id === -1n ? undefined : id;
}
