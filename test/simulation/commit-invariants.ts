import { readListing } from '../../lib/ledger/registration-summary.ts';
import { formatIdentifier, type TableIdentifier } from '../../lib/spec/table-identifier.ts';
import type { CommitRequest } from '../../local/catalog/commit.ts';
import { type JsonObject, readObjects } from '../../local/catalog/json-object.ts';
import { currentSchema, type SnapshotJson, type TableMetadata } from '../../local/catalog/table-metadata.ts';
import type { CatalogChange } from './catalog.ts';
import { versions } from './contents.ts';
import type { History } from './history.ts';
import { ancestry, headOf, type TableFiles } from './table-files.ts';
import type { World } from './world.ts';

/** What must hold of every commit at the moment it lands: I1, I2, I4, I8, I11, and that no file of a table is lost. */
export interface CommitInvariants {
  changed(change: CatalogChange): void;
  dropped(table: TableIdentifier): void;
}

export function commitInvariants(world: World, history: History, files: TableFiles): CommitInvariants {
  /** By table, what its rows come from: how often each segment and each file of others is in it. */
  const held = new Map<string, ReadonlyMap<string, number>>();

  return {
    dropped: (table) => held.delete(formatIdentifier(table)),
    changed({ table, before, after, request, by }) {
      const name = formatIdentifier(table);
      if (by === 'registrar' && request !== undefined) checkRequest(world, name, request);
      const known = new Set(before?.metadata.snapshots.map((one) => BigInt(one['snapshot-id'])));
      const fresh = after.metadata.snapshots.filter((one) => !known.has(BigInt(one['snapshot-id'])));
      for (const snapshot of before?.metadata.snapshots ?? []) {
        const id = BigInt(snapshot['snapshot-id']);
        if (!after.metadata.snapshots.some((one) => BigInt(one['snapshot-id']) === id))
          history.expired.add(id);
      }
      const readable = attempt(world, name, () => {
        const live = contentsOf(history, files, after.metadata);
        if (by === 'registrar') {
          const added = fresh.flatMap((snapshot) => files.added(snapshot).map(({ filePath }) => filePath));
          checkAdded(world, history, after.metadata, known, name, added);
          for (const path of added) checkColumns(world, history, after.metadata, name, path);
          checkContents(world, history, name, live, plus(held.get(name) ?? new Map(), added));
          if (before !== undefined) checkKept(world, files, name, before.metadata, after.metadata);
        }
        held.set(name, live);
      });
      if (!readable) return;
      for (const snapshot of fresh) note(history, files, snapshot, by);
    },
  };
}

function attempt(world: World, table: string, read: () => void): boolean {
  try {
    read();
    return true;
  } catch (error) {
    world.violate('I1', `table ${table} cannot be read: ${String(error)}`);
    return false;
  }
}

function note(history: History, files: TableFiles, snapshot: SnapshotJson, by: CatalogChange['by']): void {
  const summary = (snapshot['summary'] ?? {}) as Readonly<Record<string, string>>;
  const listing = readListing(summary);
  for (const { filePath, fileSizeInBytes, recordCount } of files.added(snapshot)) {
    history.register(filePath, {
      by,
      etag: listing.kind === 'segments' ? listing.etags.get(filePath) : undefined,
      snapshotId: BigInt(snapshot['snapshot-id']),
      sizeBytes: Number(fileSizeInBytes),
      rows: Number(recordCount),
    });
  }
}

/** What the rows of a table's head come from: segments, through however many compactions. */
function contentsOf(
  history: History,
  files: TableFiles,
  metadata: TableMetadata,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { filePath } of files.live(headOf(metadata))) {
    for (const source of history.sourcesOf(filePath)) counts.set(source, (counts.get(source) ?? 0) + 1);
  }
  return counts;
}

function plus(counts: ReadonlyMap<string, number>, added: readonly string[]): ReadonlyMap<string, number> {
  const sum = new Map(counts);
  for (const path of added) sum.set(path, (sum.get(path) ?? 0) + 1);
  return sum;
}

function checkAdded(
  world: World,
  history: History,
  metadata: TableMetadata,
  known: ReadonlySet<bigint>,
  table: string,
  added: readonly string[],
): void {
  const ids = ancestry(metadata, headOf(metadata)).map((one) => BigInt(one['snapshot-id']));
  const line = new Set(ids.filter((id) => known.has(id)));
  for (const path of added) {
    if (!history.keys.has(path)) world.violate('I11', `${path} is in ${table}, and nobody shipped it`);
    const earlier = (history.registered.get(path) ?? []).find(({ snapshotId }) => line.has(snapshotId));
    if (earlier !== undefined && !mayBeTwice(history, path))
      world.violate('I2', `${path} is registered in ${table} again, after snapshot ${earlier.snapshotId}`);
  }
}

/** I5: the table has every column of the file, by its field ID, in its type or one that it was promoted to. */
function checkColumns(
  world: World,
  history: History,
  metadata: TableMetadata,
  table: string,
  path: string,
): void {
  const current = new Map(currentSchema(metadata)?.fields.map((field) => [field.id, field]));
  const kinds = (history.keys.get(path) ?? []).flatMap(({ content }) => content?.kind ?? []);
  const fits = kinds.some((kind) =>
    (typeof kind === 'number' ? versions[kind].fields : []).every(({ id, type }) => {
      const column = current.get(id);
      return column !== undefined && (column.type === type || (type === 'int' && column.type === 'long'));
    }),
  );
  if (!fits) world.violate('I5', `${table} does not have the columns of ${path}`);
}

function checkContents(
  world: World,
  history: History,
  table: string,
  live: ReadonlyMap<string, number>,
  expected: ReadonlyMap<string, number>,
): void {
  for (const path of expected.keys()) {
    if (!live.has(path)) world.violate('lost', `${path} is no longer in ${table}`);
  }
  for (const [path, count] of live) {
    if (!expected.has(path)) world.violate('I11', `${path} is in ${table} through no manifest of its commit`);
    if (count > 1 && !mayBeTwice(history, path)) world.violate('I2', `${path} is ${count} times in ${table}`);
  }
}

/** What was in the table stays what it was, in whatever manifest: a delete applies to the same files, a row has the same ID. */
function checkKept(
  world: World,
  files: TableFiles,
  table: string,
  before: TableMetadata,
  after: TableMetadata,
): void {
  const [old, now] = [headOf(before), headOf(after)];
  const identities = files.identities(now);
  for (const [path, identity] of files.identities(old)) {
    const kept = identities.get(path);
    if (kept !== undefined && kept !== identity && !isNumbered(identity, kept))
      world.violate('kept', `${path} in ${table} was ${identity}, and is ${kept}`);
  }
  if (String(files.deletes(old)) !== String(files.deletes(now)))
    world.violate('kept', `${table} had deletes in ${files.deletes(old)}, and has ${files.deletes(now)}`);
}

/** A row that had no ID yet may get one. */
function isNumbered(before: string, after: string): boolean {
  return before.endsWith('/') && after.startsWith(before);
}

/**
 * The limits of I2: the same key uploaded again, and the snapshot that registered it has expired, or is another writer's
 * and older than the upload.
 */
function mayBeTwice(history: History, path: string): boolean {
  const uploads = (history.keys.get(path) ?? []).filter(({ content }) => content !== undefined);
  const registrations = history.registered.get(path) ?? [];
  return (
    uploads.length > 1 &&
    registrations.some(({ snapshotId, by }) => by === 'others' || history.expired.has(snapshotId))
  );
}

/** I4: a schema change comes with the append that needs it; I8: what was checked is asserted. */
function checkRequest(world: World, table: string, request: CommitRequest): void {
  const asserted = names(request, 'requirements', 'type');
  const updates = names(request, 'updates', 'action');
  if (asserted.includes('assert-create')) return;
  const wanted = ['assert-table-uuid', 'assert-ref-snapshot-id', 'assert-current-schema-id'];
  if (updates.includes('add-snapshot')) wanted.push('assert-default-spec-id');
  if (updates.includes('add-schema')) wanted.push('assert-last-assigned-field-id');
  for (const type of wanted) {
    if (!asserted.includes(type)) world.violate('I8', `a commit to ${table} lacks ${type}`);
  }
  const finishes = readObjects(request, 'requirements').some(
    (requirement) => requirement['type'] === 'assert-ref-snapshot-id' && requirement['snapshot-id'] === null,
  );
  if (updates.includes('add-schema') && !updates.includes('add-snapshot') && !finishes)
    world.violate('I4', `a commit to ${table} changes the schema and appends nothing`);
}

function names(request: JsonObject, list: string, name: string): readonly unknown[] {
  return readObjects(request, list).map((one) => one[name]);
}
