import { type PathIndex, pathIndex } from '../../ledger/path-index.ts';
import type { ListedObject, Store } from '../../ports.ts';
import { type Dataset, layoutRouter } from '../../route/layout.ts';
import { plainSpelling } from '../../spec/object-uri.ts';
import { formatIdentifier } from '../../spec/table-identifier.ts';
import { branchHead, type TableState } from '../../spec/table-state.ts';
import { quarantineStates, segmentTest } from '../datasets/dataset-objects.ts';
import { loadState, missingTable } from '../load-state.ts';
import { lostCommits } from '../lost-commits.ts';
import { countObjects } from '../pace.ts';
import type { SendAgainPorts } from '../quarantine/send-again.ts';
import type { register } from '../register/register.ts';
import type { RegisterPorts } from '../register/register-ports.ts';
import { liveFileCount, manifestReader } from '../register/table-manifests.ts';
import { settlerOf } from './missing-segments.ts';
import { type ReconcileProgress, reconcileProgress } from './reconcile-progress.ts';
import { figures, newTally, type Reconciliation, type Tally } from './reconcile-report.ts';

export type ReconcilePorts = RegisterPorts & SendAgainPorts;

export interface ReconcileOptions {
  /** What to do with missing segments: `register` is passed as such, since the scheduled function does not load it. @default report */
  readonly missing?: 'report' | 'enqueue' | typeof register;
  /** Skip objects uploaded earlier, unless they are live. */
  readonly sinceMs?: number;
  /** Treat objects younger than this as still on their way. @default one hour */
  readonly graceMs?: number;
  /** Resume after this URI, where an earlier run stopped. */
  readonly startAfter?: string;
  /** Aborted to stop: work under way is finished, and the report says where to resume. */
  readonly signal?: AbortSignal;
  /** Called after every thousand objects. To estimate what is left, the objects are counted alongside the work. */
  readonly onProgress?: (progress: ReconcileProgress) => void;
}

const GRACE_MS = 3_600_000;
/** How many objects to ask the ledger about at once. */
const BATCH = 1_000;
/** Time reserved for the rest of a batch and the report. Time for reading the live files a second time is added to it. */
const REPORT_MS = 10_000;
/** How many live files to read between two checks whether the run must stop. */
const FILES_A_LOOK = 1_000;

/**
 * Compares the objects of a dataset with its table, in one pass over both. Memory grows by about 18 bytes per live file. Only
 * what is provably in no retained snapshot of any ref is enqueued or registered; everything else that is not in order is
 * reported and left alone (I9).
 *
 * @param remainingMs milliseconds left; a run that does not finish in time says where to resume
 * @throws `table.missing` if the table is not there although it should be, and the errors of catalog, store and queue
 */
export async function reconcile(
  dataset: Dataset,
  ports: ReconcilePorts,
  options: ReconcileOptions,
  remainingMs: () => number,
): Promise<Reconciliation> {
  const { table, directory } = dataset;
  const { store, tableStore = store, catalog } = ports.portsOf(dataset.entry);
  const state = await loadState(catalog, table);
  if (state === undefined && !dataset.entry.create_table) throw missingTable(dataset);
  const lost = state && (await lostCommits(table, state, { store, catalog }));
  if (lost !== undefined) ports.log.error({ event: 'commits-lost', table: formatIdentifier(table), ...lost });

  const tally = newTally();
  const report = () => {
    const reconciliation = { ...tally.report(table, directory), ...(lost !== undefined && { lost }) };
    ports.log.info({ event: 'reconciled', ...figures(reconciliation) });
    return reconciliation;
  };
  let keptMs = REPORT_MS;
  const isOver = () => options.signal?.aborted === true || remainingMs() < keptMs;
  const startedMs = ports.clock.now();
  const live = await indexLive(state, dataset, tableStore, tally, isOver);
  if (live === undefined) {
    tally.resumeAfter = options.startAfter ?? `${directory}/`;
    return report();
  }
  keptMs += ports.clock.now() - startedMs;
  const quarantineStateOf = await quarantineStates(table, ports);
  const isSegment = segmentTest(dataset, state, layoutRouter(ports.entries));
  const { startAfter, sinceMs = Number.NEGATIVE_INFINITY, graceMs = GRACE_MS } = options;
  const untilMs = ports.clock.now() - graceMs;
  const settle = settlerOf(dataset, state, ports, options, tally, remainingMs);
  const list = () => store.list(`${directory}/`, startAfter === undefined ? {} : { startAfter });
  using progress = progressTeller(directory, list, ports, options);

  let batch: ListedObject[] = [];
  let last = startAfter;
  for await (const object of list()) {
    if (isOver()) {
      tally.resumeAfter = last ?? `${directory}/`;
      break;
    }
    if (tally.listed % BATCH === 0) progress.tell(tally.listed);
    tally.listed += 1;
    last = object.uri;
    const entry = live.see(object.uri, object.sizeBytes);
    if (entry === 'same size') tally.registered += 1;
    else if (entry === 'other size') tally.note('replaced', object.uri);
    else if (!isSegment(object)) tally.ignored += 1;
    else if (object.lastModifiedMs < sinceMs) tally.older += 1;
    else if (object.lastModifiedMs > untilMs) tally.recent += 1;
    else {
      const quarantined = quarantineStateOf(object);
      if (quarantined === undefined) batch.push(object);
      else tally.note(quarantined === 'waiting' ? 'quarantined' : 'discarded', object.uri);
    }
    if (batch.length === BATCH) {
      await settle(batch);
      batch = [];
    }
  }
  await settle(batch);
  await noteGone(dataset, ports, live, tally, startAfter);
  return report();
}

/** Reports progress if anyone listens; ends the counting of objects with the run. */
function progressTeller(
  directory: string,
  list: () => AsyncIterable<unknown>,
  { clock }: Pick<ReconcilePorts, 'clock'>,
  { onProgress }: ReconcileOptions,
): Disposable & { readonly tell: (listed: number) => void } {
  const ended = new AbortController();
  const startedMs = clock.now();
  const count = onProgress && countObjects(list(), ended.signal);
  return {
    tell: (listed) =>
      count && onProgress?.(reconcileProgress(directory, listed, count(), clock.now() - startedMs)),
    [Symbol.dispose]: () => ended.abort(),
  };
}

/** Indexes the live files of the branch's head and notes paths that are live twice. Undefined if the run had to stop before. */
async function indexLive(
  state: TableState | undefined,
  { entry }: Dataset,
  tableStore: Pick<Store, 'read'>,
  tally: Tally,
  isOver: () => boolean,
): Promise<PathIndex | undefined> {
  const head = state && branchHead(state, entry.branch);
  if (head === undefined) return pathIndex();
  const index = pathIndex(await liveFileCount(tableStore, head));
  for await (const { filePath, fileSizeInBytes } of manifestReader(tableStore).live(head)) {
    if (!index.add(filePath, Number(fileSizeInBytes))) tally.note('live-twice', filePath);
    if (index.size % FILES_A_LOOK === 0 && isOver()) return undefined;
  }
  return index;
}

/**
 * Notes live entries below the directory whose object was not listed, as far as this run got. The table is loaded again, because
 * maintenance may have removed files from it, and deleted them, during the run.
 */
async function noteGone(
  { table, entry, directory }: Dataset,
  { portsOf }: ReconcilePorts,
  live: PathIndex,
  tally: Tally,
  startAfter: string | undefined,
): Promise<void> {
  if (live.size === tally.registered) return;
  const { store, tableStore = store, catalog } = portsOf(entry);
  const now = await loadState(catalog, table);
  const head = now && branchHead(now, entry.branch);
  if (head === undefined) return;
  for await (const { filePath } of manifestReader(tableStore).live(head)) {
    const path = plainSpelling(filePath);
    if (!path.startsWith(`${directory}/`) || live.wasSeen(path)) continue;
    if (startAfter !== undefined && !follows(path, startAfter)) continue;
    if (tally.resumeAfter !== undefined && follows(path, tally.resumeAfter)) continue;
    // A path that the index does not have was registered during the run. One that it has is marked as seen, to note it only once.
    if (live.see(path, 0) !== undefined) tally.note('gone', path);
  }
}

/** Whether one URI comes after the other in key order, which compares bytes. */
function follows(uri: string, other: string): boolean {
  return Buffer.compare(Buffer.from(uri), Buffer.from(other)) > 0;
}
