import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../lib/spec/json-object.ts';
import { badRequest, commitFailed, invalid } from './catalog-error.ts';
import { change, type Draft } from './draft.ts';
import { type Long, readLong, readLongs, readObject, readText, sameLong } from './request-fields.ts';
import { noSnapshot, type RefJson, type SnapshotJson, type TableMetadata } from './table-metadata.ts';

const oneMinuteMs = 60_000n;

/** `add-snapshot`, with the checks of `TableMetadata.Builder.addSnapshot`. A stale sequence number or row ID is a conflict. */
export function addSnapshot(draft: Draft, update: JsonObject): Draft {
  const { metadata } = draft;
  const snapshot = readSnapshot(readObject(update, 'snapshot'));
  const id = snapshot['snapshot-id'];
  if (metadata.schemas.length === 0) throw invalid('Attempting to add a snapshot before a schema is added');
  if (metadata.snapshots.some((one) => sameLong(one['snapshot-id'], id))) {
    throw invalid(`Snapshot already exists for id: ${id}`);
  }
  checkSequenceNumber(snapshot, metadata);
  checkTimestamp(snapshot, metadata);
  const added = change(draft, {
    snapshots: [...metadata.snapshots, snapshot],
    'last-sequence-number': snapshot['sequence-number'] ?? 0,
    ...(metadata['format-version'] >= 3 && {
      'next-row-id': nextRowId(metadata['next-row-id'] ?? 0, snapshot),
    }),
  });
  const updatedMs = BigInt(snapshot['timestamp-ms']);
  return { ...added, updatedMs, addedSnapshotIds: [...draft.addedSnapshotIds, BigInt(id)] };
}

/** A sequence number must be above the table's last one, or without a parent not below that of any snapshot. */
function checkSequenceNumber(snapshot: SnapshotJson, metadata: TableMetadata): void {
  if (metadata['format-version'] === 1) return;
  const number = BigInt(snapshot['sequence-number'] ?? 0);
  const last = BigInt(metadata['last-sequence-number']);
  if (snapshot['parent-snapshot-id'] !== undefined && number <= last) {
    throw commitFailed(
      `Cannot add snapshot with sequence number ${number} older than last sequence number ${last}`,
    );
  }
  const higher = metadata.snapshots.find((one) => BigInt(one['sequence-number'] ?? 0) > number);
  if (higher) {
    const found = higher['sequence-number'];
    throw invalid(
      `Invalid snapshot with sequence number ${found} greater than last sequence number ${number}`,
    );
  }
}

/** Iceberg tolerates clocks that differ by a minute. */
function checkTimestamp(snapshot: SnapshotJson, metadata: TableMetadata): void {
  const lastSnapshotMs = BigInt(metadata['snapshot-log'].at(-1)?.['timestamp-ms'] ?? 0);
  const lastUpdatedMs = BigInt(metadata['last-updated-ms']);
  const lastMs = lastSnapshotMs > lastUpdatedMs ? lastSnapshotMs : lastUpdatedMs;
  if (BigInt(snapshot['timestamp-ms']) < lastMs - oneMinuteMs) {
    throw badRequest(
      `Invalid snapshot timestamp ${snapshot['timestamp-ms']}: before last update at ${lastMs}`,
    );
  }
}

function readSnapshot(json: JsonObject): SnapshotJson {
  for (const name of ['snapshot-id', 'timestamp-ms']) readLong(json, name);
  for (const name of ['parent-snapshot-id', 'sequence-number', 'schema-id']) {
    if (json[name] !== undefined) readLong(json, name);
  }
  if (json['manifests'] === undefined) readText(json, 'manifest-list');
  if (json['summary'] !== undefined) readText(readObject(json, 'summary'), 'operation');
  return json as SnapshotJson;
}

/** Row lineage (table spec): a snapshot's first row ID is at least the table's next row ID, which grows by the rows added. */
function nextRowId(next: Long, snapshot: SnapshotJson): bigint {
  if (snapshot['first-row-id'] === undefined) throw invalid('Cannot add a snapshot: first-row-id is null');
  if (snapshot['added-rows'] === undefined) throw invalid('Cannot add a snapshot: added-rows is null');
  const first = BigInt(readLong(snapshot, 'first-row-id'));
  if (first < BigInt(next)) {
    throw commitFailed(`Cannot add a snapshot, first-row-id is behind table next-row-id: ${first} < ${next}`);
  }
  return BigInt(next) + BigInt(readLong(snapshot, 'added-rows'));
}

/** `set-snapshot-ref`: replaces the ref as a whole, so retention settings that the update leaves out are removed. */
export function setRef(draft: Draft, update: JsonObject): Draft {
  const { metadata } = draft;
  const { action: _action, 'ref-name': _name, ...ref } = update;
  const name = readText(update, 'ref-name');
  const id = readLong(update, 'snapshot-id');
  const snapshot = metadata.snapshots.find((one) => sameLong(one['snapshot-id'], id));
  if (!snapshot) throw badRequest(`Cannot set ${name} to unknown snapshot: ${id}`);
  if (ref['type'] !== 'branch' && ref['type'] !== 'tag')
    throw badRequest(`Invalid snapshot reference type: ${ref['type']}`);
  if (name === 'main' && ref['type'] === 'tag')
    throw badRequest('Cannot set main to a tag, it must be a branch');
  if (isDeepStrictEqual(metadata.refs[name], ref)) return draft;
  const withRef = change(draft, { refs: { ...metadata.refs, [name]: ref as RefJson } });
  if (name !== 'main') return withRef;
  const updatedMs = draft.updatedMs ?? BigInt(draft.nowMs);
  const entry = { 'timestamp-ms': updatedMs, 'snapshot-id': id };
  const current = change(withRef, {
    'current-snapshot-id': id,
    'snapshot-log': [...metadata['snapshot-log'], entry],
  });
  return { ...current, updatedMs };
}

export function removeRef(draft: Draft, update: JsonObject): Draft {
  const name = readText(update, 'ref-name');
  const { [name]: _removed, ...refs } = draft.metadata.refs;
  const withoutRef = change(draft, { refs });
  if (name !== 'main') return withoutRef;
  return change(withoutRef, { 'current-snapshot-id': noSnapshot(draft.metadata['format-version']) });
}

/** `remove-snapshots`: also removes refs to them, and the log keeps only the entries after the last one removed. */
export function removeSnapshots(draft: Draft, update: JsonObject): Draft {
  const { metadata } = draft;
  const removed = new Set(readLongs(update, 'snapshot-ids').map(BigInt));
  const stays = (one: { readonly 'snapshot-id': Long }) => !removed.has(BigInt(one['snapshot-id']));
  const log = metadata['snapshot-log'];
  const refs = Object.fromEntries(Object.entries(metadata.refs).filter(([, ref]) => stays(ref)));
  return change(draft, {
    snapshots: metadata.snapshots.filter(stays),
    refs,
    'snapshot-log': log.slice(log.findLastIndex((entry) => !stays(entry)) + 1),
    ...(!refs['main'] && { 'current-snapshot-id': noSnapshot(metadata['format-version']) }),
  });
}
