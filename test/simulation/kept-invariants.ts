import { isDeepStrictEqual } from 'node:util';
import { stringifyJson } from '../../lib/spec/json.ts';
import type { SnapshotJson, TableMetadata } from '../../local/catalog/table-metadata.ts';
import type { EntryIdentity } from './entry-identity.ts';
import type { TableFiles } from './table-files.ts';
import type { World } from './world.ts';

/** The head of the branch before and after a commit. */
export interface Heads {
  readonly before: SnapshotJson | undefined;
  readonly after: SnapshotJson | undefined;
}

/**
 * Entries keep their identity when they move to another manifest: deletes apply to the same files, and rows keep their IDs.
 *
 * @param replaced the paths whose entries were to be replaced
 */
export function checkKept(
  world: World,
  files: TableFiles,
  table: string,
  { before, after }: Heads,
  replaced: readonly string[],
): void {
  const identities = files.identities(after);
  for (const [path, all] of files.identities(before)) {
    const now = identities.get(path) ?? [];
    // Lost entries are the subject of another invariant.
    if (now.length < all.length || replaced.includes(path)) continue;
    for (const was of all) {
      if (!now.some((is) => isSame(was, is)))
        world.violate(
          'kept',
          `${path} in ${table} was ${shown(was)}, and is ${now.map(shown).join(' and ')}`,
        );
    }
  }
  if (String(files.deletes(before)) !== String(files.deletes(after)))
    world.violate(
      'kept',
      `${table} had deletes in ${files.deletes(before)}, and has ${files.deletes(after)}`,
    );
}

function isSame(was: EntryIdentity, is: EntryIdentity): boolean {
  // Rows that had no ID yet may get one.
  return was.text === is.text && (was.firstRowId === undefined || was.firstRowId === is.firstRowId);
}

function shown({ text, firstRowId }: EntryIdentity): string {
  return `${text}, first row ${firstRowId}`;
}

/** A repair changes the entries of one path only, and leaves at most one of them. */
export function checkRepaired(
  world: World,
  files: TableFiles,
  table: string,
  { before, after }: Heads,
  added: readonly string[],
): void {
  const [old, now] = [countPaths(files, before), countPaths(files, after)];
  const fewer = [...old.keys()].filter((path) => (now.get(path) ?? 0) < (old.get(path) ?? 0));
  const touched = new Set([...fewer, ...added]);
  const [path = ''] = touched;
  if (touched.size !== 1) world.violate('repair', `of ${table} touches ${[...touched].join(', ')}`);
  if ((now.get(path) ?? 0) > 1) world.violate('repair', `leaves ${path} more than once in ${table}`);
}

function countPaths(files: TableFiles, head: SnapshotJson | undefined): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { filePath } of files.live(head)) counts.set(filePath, (counts.get(filePath) ?? 0) + 1);
  return counts;
}

/** Only the registrar's branch moves, and it keeps its settings (cases.md C19). */
export function checkRefs(
  world: World,
  table: string,
  branch: string,
  { refs: before }: TableMetadata,
  { refs: after }: TableMetadata,
): void {
  const settings = (refs: TableMetadata['refs'], name: string) => ({
    ...refs[name],
    ...(name === branch && { 'snapshot-id': undefined }),
  });
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    // The first snapshot creates its branch.
    if (name === branch && before[name] === undefined) continue;
    const [was, is] = [settings(before, name), settings(after, name)];
    if (!isDeepStrictEqual(was, is))
      world.violate('refs', `${name} of ${table} was ${stringifyJson(was)}, and is ${stringifyJson(is)}`);
  }
}
