import { readListing } from '../../lib/ledger/registration-summary.ts';
import type { JsonObject } from '../../lib/spec/json-object.ts';
import { formatIdentifier, type TableIdentifier } from '../../lib/spec/table-identifier.ts';
import type { CommitRequest } from '../../local/catalog/commit.ts';
import { readObjects } from '../../local/catalog/request-fields.ts';
import type { SnapshotJson, TableMetadata } from '../../local/catalog/table-metadata.ts';
import type { CatalogChange, Writer } from './catalog.ts';
import { checkColumns, checkPartition } from './file-invariants.ts';
import type { History } from './history.ts';
import { checkKept, checkRefs, checkRepaired } from './kept-invariants.ts';
import { branchOf } from './lake.ts';
import { ancestry, headOf, snapshotOf, snapshotsById, type TableFiles } from './table-files.ts';
import type { World } from './world.ts';

/** What must hold for every commit when it takes effect: I1, I2, I4, I5, I8, I11, and that the table loses nothing. */
export interface CommitInvariants {
  changed(change: CatalogChange): void;
  dropped(table: TableIdentifier): void;
}

export function commitInvariants(world: World, history: History, files: TableFiles): CommitInvariants {
  /** By table, how often it contains each segment and each file of other writers. */
  const held = new Map<string, ReadonlyMap<string, number>>();
  /** Snapshots that are or were in the history of the registrar's branch. */
  const noted = new Set<bigint>();
  const branch = branchOf(world.schedule.settings);

  return {
    dropped: (table) => held.delete(formatIdentifier(table)),
    changed({ table, before, after, request, by }) {
      const name = formatIdentifier(table);
      if (by !== 'others' && request !== undefined) checkRequest(world, name, branch, request);
      const known = before === undefined ? NO_SNAPSHOTS : snapshotsById(before.metadata);
      const kept = snapshotsById(after.metadata);
      const fresh = [...kept].flatMap(([id, snapshot]) => (known.has(id) ? [] : [snapshot]));
      for (const id of known.keys()) if (!kept.has(id)) history.expired.add(id);
      if (before !== undefined)
        for (const id of cutOff(before.metadata, after.metadata, branch)) history.expired.add(id);
      const readable = attempt(world, name, () => {
        const head = headOf(after.metadata, branch);
        const live = contentsOf(history, files, head);
        if (by !== 'others') {
          const added = fresh.flatMap((snapshot) => files.added(snapshot).map(({ filePath }) => filePath));
          if (by === 'registrar') {
            const line = ancestry(after.metadata, head).filter((one) => !fresh.includes(one));
            checkAdded(world, history, line, name, added);
            checkContents(world, history, name, live, plus(held.get(name) ?? new Map(), added));
          }
          for (const path of added) {
            checkColumns(world, history, after.metadata, name, path);
            checkPartition(world, history, files, head, name, path);
          }
          if (before !== undefined) {
            const heads = { before: headOf(before.metadata, branch), after: head };
            if (by === 'repair') checkRepaired(world, files, name, heads, added);
            checkKept(world, files, name, heads, by === 'repair' ? added : []);
            checkRefs(world, name, branch, before.metadata, after.metadata);
          }
        }
        held.set(name, live);
      });
      if (!readable) return;
      for (const snapshot of ancestry(after.metadata, headOf(after.metadata, branch))) {
        const id = BigInt(snapshot['snapshot-id']);
        // Its ancestors were noted together with it.
        if (noted.has(id)) break;
        note(history, files, snapshot, by);
        noted.add(id);
      }
    },
  };
}

/** Snapshots to which the branch's history no longer leads, since those between have expired, even where another ref keeps them. */
function cutOff(before: TableMetadata, after: TableMetadata, branch: string): readonly bigint[] {
  const oldest = ancestry(after, headOf(after, branch)).at(-1);
  const was = oldest && snapshotOf(before, BigInt(oldest['snapshot-id']));
  return ancestry(before, was)
    .slice(1)
    .map((snapshot) => BigInt(snapshot['snapshot-id']));
}

const NO_SNAPSHOTS: ReadonlyMap<bigint, SnapshotJson> = new Map();

function attempt(world: World, table: string, read: () => void): boolean {
  try {
    read();
    return true;
  } catch (error) {
    world.violate('I1', `table ${table} cannot be read: ${String(error)}`);
    return false;
  }
}

function note(history: History, files: TableFiles, snapshot: SnapshotJson, by: Writer): void {
  const summary = (snapshot['summary'] ?? {}) as Readonly<Record<string, string>>;
  const listing = readListing(summary);
  for (const { filePath, fileSizeInBytes, recordCount } of files.added(snapshot)) {
    history.register(filePath, {
      by: by === 'others' ? by : 'registrar',
      etag: listing.kind === 'segments' ? listing.etags.get(filePath) : undefined,
      snapshotId: BigInt(snapshot['snapshot-id']),
      sizeBytes: Number(fileSizeInBytes),
      rows: Number(recordCount),
    });
  }
}

/** How often each segment is in a snapshot, looked up through any number of compactions. */
function contentsOf(
  history: History,
  files: TableFiles,
  head: SnapshotJson | undefined,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { filePath } of files.live(head)) {
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
  before: readonly SnapshotJson[],
  table: string,
  added: readonly string[],
): void {
  const line = new Set(before.map((one) => BigInt(one['snapshot-id'])));
  for (const path of added) {
    if (!history.keys.has(path)) world.violate('I11', `${path} is in ${table}, but nobody shipped it`);
    const earlier = (history.registered.get(path) ?? []).find(({ snapshotId }) => line.has(snapshotId));
    if (earlier !== undefined && !mayBeTwice(history, path))
      world.violate('I2', `${path} is registered in ${table} again, after snapshot ${earlier.snapshotId}`);
  }
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
    if (!expected.has(path))
      world.violate('I11', `${path} is in ${table}, but no manifest of the commit added it`);
    if (count > 1 && !mayBeTwice(history, path)) world.violate('I2', `${path} is ${count} times in ${table}`);
  }
}

/**
 * The limit of I2: a key that was uploaded more than once may be registered twice if the snapshot that registered it has expired, or
 * if another writer registered it.
 */
export function mayBeTwice(history: History, path: string): boolean {
  const uploads = (history.keys.get(path) ?? []).filter(({ content }) => content !== undefined);
  const registrations = history.registered.get(path) ?? [];
  return (
    uploads.length > 1 &&
    registrations.some(({ snapshotId, by }) => by === 'others' || history.expired.has(snapshotId))
  );
}

/** I4: a schema change comes with the append that needs it. I8: everything that was checked is asserted. */
function checkRequest(world: World, table: string, branch: string, request: CommitRequest): void {
  const asserted = names(request, 'requirements', 'type');
  const updates = names(request, 'updates', 'action');
  if (asserted.includes('assert-create')) return;
  const wanted = ['assert-table-uuid', 'assert-ref-snapshot-id', 'assert-current-schema-id'];
  if (updates.includes('add-snapshot')) wanted.push('assert-default-spec-id');
  if (updates.includes('add-schema')) wanted.push('assert-last-assigned-field-id');
  for (const type of wanted) {
    if (!asserted.includes(type)) world.violate('I8', `a commit to ${table} lacks ${type}`);
  }
  const heads = readObjects(request, 'requirements').filter(({ type }) => type === 'assert-ref-snapshot-id');
  if (!heads.some(({ ref }) => ref === branch))
    world.violate('I8', `a commit to ${table} does not assert the head of ${branch}`);
  const finishes = heads.some((head) => head['snapshot-id'] === null);
  if (updates.includes('add-schema') && !updates.includes('add-snapshot') && !finishes)
    world.violate('I4', `a commit to ${table} changes the schema and appends nothing`);
}

function names(request: JsonObject, list: string, name: string): readonly unknown[] {
  return readObjects(request, list).map((one) => one[name]);
}
