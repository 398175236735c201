import type { JsonObject } from '../../lib/spec/json-object.ts';
import { badRequest } from './catalog-error.ts';
import { change, type Draft } from './draft.ts';
import {
  addSortOrder,
  addSpec,
  removeSpecs,
  setDefaultSortOrder,
  setDefaultSpec,
} from './partition-updates.ts';
import {
  readInt,
  readLong,
  readObject,
  readObjects,
  readText,
  readTextMap,
  readTexts,
  sameLong,
} from './request-fields.ts';
import { checkRequirement } from './requirements.ts';
import { addSchema, removeSchemas, setCurrentSchema } from './schema-updates.ts';
import { addSnapshot, removeRef, removeSnapshots, setRef } from './snapshot-updates.ts';
import { emptyMetadata, type TableMetadata } from './table-metadata.ts';

/** Body of a commit request: `requirements` and `updates`. */
export type CommitRequest = JsonObject;

/**
 * Whether a commit creates its table: its only requirement is `assert-create`.
 *
 * @throws CatalogError 400 for other requirements beside it
 */
export function isCreation(request: CommitRequest): boolean {
  const types = readObjects(request, 'requirements').map((requirement) => readText(requirement, 'type'));
  if (!types.includes('assert-create')) return false;
  const others = types.filter((type) => type !== 'assert-create');
  if (others.length > 0) throw badRequest(`Invalid create requirements: ${others.join(', ')}`);
  return true;
}

/**
 * The metadata of a table after a commit: every requirement must hold, then every update is applied in order. A pure function.
 *
 * @throws CatalogError 409 for a requirement that does not hold and for a stale snapshot, 400 for what is invalid or unknown
 */
export function applyCommit(
  base: TableMetadata,
  request: CommitRequest,
  at: { readonly nowMs: number; readonly previousLocation: string | undefined },
): TableMetadata {
  const updates = readObjects(request, 'updates');
  for (const requirement of readObjects(request, 'requirements')) checkRequirement(requirement, base);
  const draft = applyUpdates(base, updates, at.nowMs);
  if (draft.metadata === base) return base;
  return finish(draft, base, at.previousLocation);
}

/**
 * The metadata of the table that an `assert-create` commit creates.
 *
 * @throws CatalogError 400 when a required part is missing
 */
export function applyCreation(
  request: CommitRequest,
  at: { readonly nowMs: number; readonly uuid: string },
): TableMetadata {
  const updates = readObjects(request, 'updates');
  const upgrade = updates.find((update) => update['action'] === 'upgrade-format-version');
  const base = emptyMetadata(upgrade ? readInt(upgrade, 'format-version') : 2);
  const made = finish(applyUpdates(base, updates, at.nowMs), undefined, undefined);
  const metadata = { ...made, 'table-uuid': made['table-uuid'] || at.uuid };
  if (metadata.location === '') throw badRequest('Cannot create table: it has no location');
  for (const id of ['current-schema-id', 'default-spec-id', 'default-sort-order-id'] as const) {
    if (metadata[id] === -1) throw badRequest(`Cannot create table: it has no ${id}`);
  }
  return metadata;
}

function applyUpdates(base: TableMetadata, updates: readonly JsonObject[], nowMs: number): Draft {
  let draft: Draft = { metadata: base, addedSnapshotIds: [], nowMs };
  for (const update of updates) {
    const action = readText(update, 'action');
    const apply = actions[action];
    if (!apply) throw badRequest(`Cannot parse metadata update: unknown action "${action}"`);
    draft = apply(draft, update);
  }
  return draft;
}

const actions: Readonly<Record<string, (draft: Draft, update: JsonObject) => Draft>> = {
  'assign-uuid': assignUuid,
  'upgrade-format-version': upgradeFormatVersion,
  'add-schema': addSchema,
  'set-current-schema': setCurrentSchema,
  'remove-schemas': removeSchemas,
  'add-spec': addSpec,
  'set-default-spec': setDefaultSpec,
  'remove-partition-specs': removeSpecs,
  'add-sort-order': addSortOrder,
  'set-default-sort-order': setDefaultSortOrder,
  'set-location': (draft, update) => change(draft, { location: readText(update, 'location') }),
  'set-properties': (draft, update) =>
    change(draft, { properties: { ...draft.metadata.properties, ...readTextMap(update, 'updates') } }),
  'remove-properties': (draft, update) => {
    const removals = readTexts(update, 'removals');
    const kept = Object.entries(draft.metadata.properties).filter(([name]) => !removals.includes(name));
    return change(draft, { properties: Object.fromEntries(kept) });
  },
  'add-snapshot': addSnapshot,
  'set-snapshot-ref': setRef,
  'remove-snapshot-ref': removeRef,
  'remove-snapshots': removeSnapshots,
  'set-statistics': setStatistics('statistics', 'statistics'),
  'remove-statistics': removeStatistics('statistics'),
  'set-partition-statistics': setStatistics('partition-statistics', 'partition-statistics'),
  'remove-partition-statistics': removeStatistics('partition-statistics'),
};

function assignUuid(draft: Draft, update: JsonObject): Draft {
  const uuid = readText(update, 'uuid');
  const current = draft.metadata['table-uuid'];
  if (current !== '' && current !== uuid) throw badRequest(`Cannot reassign uuid: ${current} to ${uuid}`);
  return current === uuid ? draft : change(draft, { 'table-uuid': uuid });
}

function upgradeFormatVersion(draft: Draft, update: JsonObject): Draft {
  const current = draft.metadata['format-version'];
  const wanted = readInt(update, 'format-version');
  if (wanted > 4)
    throw badRequest(`Cannot upgrade table to unsupported format version: v${wanted} (supported: v4)`);
  if (wanted < current) throw badRequest(`Cannot downgrade v${current} table to v${wanted}`);
  const becomes3 = wanted >= 3 && current < 3;
  const none = becomes3 && draft.metadata['current-snapshot-id'] === -1;
  return change(draft, {
    'format-version': wanted,
    ...(becomes3 && { 'next-row-id': 0 }),
    ...(none && { 'current-snapshot-id': null }),
  });
}

function setStatistics(list: string, field: string): (draft: Draft, update: JsonObject) => Draft {
  return (draft, update) => {
    const file = readObject(update, field);
    return change(draft, { [list]: [...otherStatistics(draft, list, file), file] });
  };
}

function removeStatistics(list: string): (draft: Draft, update: JsonObject) => Draft {
  return (draft, update) => change(draft, { [list]: otherStatistics(draft, list, update) });
}

function otherStatistics(draft: Draft, list: string, of: JsonObject): readonly JsonObject[] {
  const files = draft.metadata[list] === undefined ? [] : readObjects(draft.metadata, list);
  return files.filter((file) => !sameLong(readLong(file, 'snapshot-id'), readLong(of, 'snapshot-id')));
}

/**
 * Completes a draft: sets the time of the change and the metadata log, and removes snapshots from the snapshot log that this commit both
 * added and removed.
 */
function finish(
  draft: Draft,
  base: TableMetadata | undefined,
  previousLocation: string | undefined,
): TableMetadata {
  const { metadata } = draft;
  const current = metadata['current-snapshot-id'];
  const log = metadata['snapshot-log'].filter(({ 'snapshot-id': id }) => {
    return !draft.addedSnapshotIds.includes(BigInt(id)) || (current !== null && sameLong(id, current));
  });
  const kept = Number(metadata.properties['write.metadata.previous-versions-max'] ?? 100);
  const previous =
    base && previousLocation
      ? [{ 'timestamp-ms': base['last-updated-ms'], 'metadata-file': previousLocation }]
      : [];
  return {
    ...metadata,
    'last-updated-ms': draft.updatedMs ?? draft.nowMs,
    'snapshot-log': log,
    'metadata-log': [...metadata['metadata-log'], ...previous].slice(-kept),
  };
}
