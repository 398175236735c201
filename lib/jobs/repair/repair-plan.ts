import { RegistrarError } from '../../errors.ts';
import { referenceTo } from '../../event/segment-reference.ts';
import type { Dataset } from '../../route/layout.ts';
import { layoutRouter } from '../../route/layout.ts';
import type { ManifestEntry } from '../../spec/manifest.ts';
import { branchHead, type TableState } from '../../spec/table-state.ts';
import { requireState } from '../load-state.ts';
import { readSegment } from '../register/decoded-segment.ts';
import { type Fitted, fit } from '../register/judgement.ts';
import { isReupload } from '../register/re-upload.ts';
import { readFooters, type SegmentRead } from '../register/read-footers.ts';
import type { EntryPorts, RegisterPorts } from '../register/register-ports.ts';
import { readAheadBytes } from '../register/table-cache.ts';
import { manifestReader, readList } from '../register/table-manifests.ts';
import { liveEntries, type ManifestWithEntries } from './live-entries.ts';

/**
 * - `remove`: the file is removed from the table
 * - `replace`: its entries are replaced by one entry for the present contents of the key
 * - `keep-one`: of several entries all but the oldest are removed
 */
export type RepairAction = 'remove' | 'replace' | 'keep-one';

export interface RepairPlan {
  readonly action: RepairAction;
  readonly uri: string;
  readonly dataset: Dataset;
  /** The table's entries for the path, oldest last; without any there is nothing to do. */
  readonly entries: readonly ManifestEntry[];
  readonly removes: number;
  /** The present contents of the key, which replace the entries; undefined if the one entry is of these contents already. */
  readonly replacement: SegmentRead | undefined;
}

/**
 * Plans the repair of one path, without doing it.
 *
 * @throws `key.unroutable`, `table.missing`; with `replace` also the reason why the object cannot be registered
 */
export async function planRepair(
  uri: string,
  action: RepairAction,
  ports: RegisterPorts,
): Promise<RepairPlan> {
  const reference = referenceTo(uri);
  const dataset = reference && layoutRouter(ports.entries)(reference);
  if (reference === undefined || dataset?.kind !== 'table') {
    throw new RegistrarError(
      'key.unroutable',
      `Cannot repair "${uri}": the configuration maps it to no table`,
    );
  }
  const { store, catalog } = ports.portsOf(dataset.entry);
  const state = await requireState(catalog, dataset);
  const entries = (await entriesOn(state, dataset, uri, ports)).flatMap((found) => found.entries);
  const plan = { action, uri, dataset, entries, removes: removedOf(entries.length, action) };
  if (action !== 'replace') return { ...plan, replacement: undefined };

  const footers = await readFooters(store, [reference], {
    readAheadBytes: readAheadBytes(undefined),
    maxFooterBytes: dataset.entry.max_footer_bytes,
    concurrently: ports.footerLimit,
  });
  const [replacement] = footers.segments;
  if (replacement === undefined) throw footers.condemned.get(uri) ?? objectMissing(uri);
  const found = fitting(state, replacement, dataset);
  if (await isEntry(entries, found, state, ports.portsOf(dataset.entry))) {
    return { ...plan, removes: 0, replacement: undefined };
  }
  return { ...plan, replacement };
}

/** Whether the path has one entry, and that is what the replacement would be, as far as size, counts and bounds tell. */
async function isEntry(
  [entry, ...others]: readonly ManifestEntry[],
  { accepted }: Fitted,
  state: TableState,
  { store, tableStore = store }: EntryPorts,
): Promise<boolean> {
  if (entry === undefined || others.length > 0) return false;
  // Without the snapshot, metrics are compared under the current schema.
  const registered = { kind: 'replaced', snapshotId: entry.snapshotId ?? 0n, entry } as const;
  return isReupload(accepted[0]?.segment, registered, state, manifestReader(tableStore));
}

/** The entries that the branch's head has for a path. */
export async function entriesOn(
  state: TableState,
  { entry }: Dataset,
  uri: string,
  { portsOf }: RegisterPorts,
): Promise<readonly ManifestWithEntries[]> {
  const { store, tableStore = store } = portsOf(entry);
  const list = await readList(tableStore, branchHead(state, entry.branch));
  return list === undefined ? [] : liveEntries(tableStore, list, uri);
}

function removedOf(entries: number, action: RepairAction): number {
  return action === 'keep-one' ? Math.max(0, entries - 1) : entries;
}

/** Judges the replacement against the table. @throws the reason why the object cannot be registered */
export function fitting(state: TableState, replacement: SegmentRead, { entry }: Dataset): Fitted {
  const segment = readSegment(replacement, state, entry);
  if (segment instanceof RegistrarError) throw segment;
  if (segment === 'empty') {
    throw new RegistrarError(
      'segment.unreadable',
      `Cannot put "${replacement.uri}" in place of its entries: it has no rows; remove them`,
    );
  }
  const found = fit(state, [segment], entry);
  const [refused] = found.refused.values();
  if (refused !== undefined) throw refused;
  return found;
}

function objectMissing(uri: string): RegistrarError {
  return new RegistrarError(
    'segment.missing',
    `Cannot put "${uri}" in place of its entries: the key holds no object; remove them`,
  );
}
