import { manifestFiles } from '../../append/manifest-list.ts';
import { messageOf, RegistrarError } from '../../errors.ts';
import { provableSince } from '../../ledger/provable-history.ts';
import type { Clock } from '../../ports.ts';
import type { Dataset } from '../../route/layout.ts';
import { formatIdentifier } from '../../spec/table-identifier.ts';
import { branchHead, type TableState } from '../../spec/table-state.ts';
import { requireState } from '../load-state.ts';
import { type LostCommits, lostCommits, lostCommitsText } from '../lost-commits.ts';
import type { EntryPorts } from '../register/register-ports.ts';
import { manifestReader, readList } from '../register/table-manifests.ts';
import { atMost, type Check } from './check.ts';
import { maintenanceChecks } from './maintenance-checks.ts';
import { openFailuresOf } from './open-failures.ts';
import { type SmallFiles, smallFilesOf } from './small-files.ts';
import { type Trend, trendOf } from './table-trend.ts';

export interface TableHealth {
  /** `analytics.orders` */
  readonly table: string;
  /** The directory that the shipper uploads to. */
  readonly directory: string;
  /** Whether catalog, metadata, the newest manifest list, a manifest and a footer can be read. */
  readonly available: boolean;
  /** Why it is not available. */
  readonly problem?: string;
  /** Whether the newest snapshot is no older than the entry's `freshness`; always true without that setting. */
  readonly fresh: boolean;
  /** Whether no maintenance is due. */
  readonly healthy: boolean;
  readonly checks: readonly Check[];
  /** Age of the newest snapshot; undefined if there is none. */
  readonly ageMs?: number;
  /** Time from the upload of the oldest segment to its commit, for the newest registration that recorded it. */
  readonly lagMs?: number;
  readonly historyMs?: number;
  readonly openFailures: number;
  /** Commits that had landed and are gone. */
  readonly lost?: LostCommits;
  readonly trend: Trend;
}

export type TableHealthPorts = EntryPorts & { readonly clock: Clock };

const NO_TREND: Trend = { moments: [], schemas: [] };

/** Examines one table; writes nothing. What cannot be read becomes part of the answer, not an error. */
export async function tableHealth(dataset: Dataset, ports: TableHealthPorts): Promise<TableHealth> {
  const { entry, directory } = dataset;
  const about = { table: formatIdentifier(dataset.table), directory };
  let state: TableState | undefined;
  let openFailures = 0;
  let oldestFailureAtMs: number | undefined;
  try {
    ({ count: openFailures, oldestAtMs: oldestFailureAtMs } = await openFailuresOf(
      ports.store,
      entry.quarantine_url,
      about.table,
    ));
    state = await requireState(ports.catalog, dataset);
    const files = await readThrough(state, dataset, ports);
    const lost = await lostCommits(dataset.table, state, ports);
    return {
      ...about,
      openFailures,
      ...judge(state, { ...files, openFailures, oldestFailureAtMs, lost }, dataset, ports),
      ...(lost !== undefined && { lost }),
    };
  } catch (error) {
    const trend = state === undefined ? NO_TREND : trendOf(state, entry.branch);
    return {
      ...about,
      openFailures,
      available: false,
      problem: problemOf(error),
      fresh: false,
      healthy: false,
      checks: [],
      trend,
    };
  }
}

/** An unexpected error is reported as a problem of its table, so that the other tables are examined all the same. */
function problemOf(error: unknown): string {
  if (error instanceof RegistrarError) return `${error.code}: ${error.message}`;
  return `internal.error: ${messageOf(error)}; please report this`;
}

/** Reads what a query would read first: manifest list, one manifest, the end of one of its files. */
async function readThrough(
  state: TableState,
  { entry }: Dataset,
  { store, tableStore = store }: TableHealthPorts,
) {
  const head = branchHead(state, entry.branch);
  const list = await readList(tableStore, head);
  const metadata =
    state.metadataLocation === undefined
      ? undefined
      : await tableStore.read(state.metadataLocation, { range: { suffix: 1 } });
  if (head !== undefined) {
    for await (const { filePath } of manifestReader(tableStore).live(head)) {
      await readEnd(filePath, store);
      break;
    }
  }
  return {
    metadataBytes: metadata?.kind === 'object' ? metadata.sizeBytes : undefined,
    manifests: list === undefined ? 0 : manifestFiles(list).length,
    smallFiles: list === undefined ? undefined : await smallFilesOf(list, state.properties, tableStore),
  };
}

const MAGIC_BYTES = 4;

async function readEnd(uri: string, store: TableHealthPorts['store']): Promise<void> {
  const read = await store.read(uri, { range: { suffix: MAGIC_BYTES } });
  const end = read.kind === 'object' ? Buffer.from(read.bytes).toString('latin1') : read.kind;
  if (end === 'PAR1') return;
  throw new RegistrarError(
    'segment.unreadable',
    `Cannot read "${uri}", which the table has: its end is "${end}" instead of "PAR1"; queries of the table fail, restore the object or take it out of the table`,
  );
}

function judge(
  state: TableState,
  files: {
    readonly metadataBytes: number | undefined;
    readonly manifests: number;
    readonly smallFiles: SmallFiles | undefined;
    readonly openFailures: number;
    readonly oldestFailureAtMs: number | undefined;
    readonly lost: LostCommits | undefined;
  },
  { entry }: Dataset,
  { clock }: TableHealthPorts,
) {
  const { branch } = entry;
  const nowMs = clock.now();
  const since = provableSince(state, branch);
  const historyMs = since === 'beginning' ? undefined : nowMs - since;
  const head = branchHead(state, branch);
  const ageMs = head === undefined ? undefined : nowMs - Number(head.timestampMs);
  const freshness =
    entry.freshness_ms === undefined
      ? []
      : [
          atMost(
            'age of the newest snapshot',
            ageMs ?? Number.POSITIVE_INFINITY,
            entry.freshness_ms,
            'ms',
            'docs/operating.md#tables-stale: does the shipper upload, do messages wait, are segments in quarantine?',
          ),
        ];
  const maintenance = [
    ...maintenanceChecks(state, branch, {
      ...files,
      historyMs,
      oldestFailureMs: files.oldestFailureAtMs === undefined ? undefined : nowMs - files.oldestFailureAtMs,
    }),
    ...(files.lost === undefined
      ? []
      : [atMost('commits lost', files.lost.snapshots, 0, 'count', lostCommitsText(files.lost))]),
  ];
  const trend = trendOf(state, branch);
  const lagMs = trend.moments.findLast((moment) => moment.lagMs !== undefined)?.lagMs;
  return {
    available: true,
    fresh: freshness.every(({ ok }) => ok),
    healthy: maintenance.every(({ ok }) => ok),
    checks: [...freshness, ...maintenance],
    ...(ageMs !== undefined && { ageMs }),
    ...(lagMs !== undefined && { lagMs }),
    ...(historyMs !== undefined && { historyMs }),
    trend,
  };
}
