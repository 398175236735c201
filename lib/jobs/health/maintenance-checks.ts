import { ancestors, branchHead, type TableState } from '../../spec/table-state.ts';
import { atLeast, atMost, type Check } from './check.ts';
import type { SmallFiles } from './small-files.ts';
import { summaryCount } from './table-trend.ts';

/** What was found out about the table's files, in addition to its metadata. */
export interface TableFiles {
  readonly metadataBytes: number | undefined;
  readonly manifests: number;
  /** Undefined if the table has too few files for it to matter. */
  readonly smallFiles: SmallFiles | undefined;
  readonly openFailures: number;
  /** How long the longest-waiting segment has been in quarantine; undefined if there is none. */
  readonly oldestFailureMs: number | undefined;
  /** How far back absence can be proven; undefined if the history is complete. */
  readonly historyMs: number | undefined;
}

const MIB = 1024 * 1024;
const HOUR_MS = 3_600_000;

/** Above these values a table costs its readers or writers more than its maintenance would. */
const MOST = {
  snapshots: 5_000,
  metadataBytes: 16 * MIB,
  manifests: 500,
  files: 1_000,
  deleteShare: 0.1,
  smallShare: 0.5,
};
const LEAST = { fileBytes: 16 * MIB, historyMs: 24 * HOUR_MS };

/** Checks whether a table needs maintenance. The registrar does none itself; docs/maintenance.md has the statements. */
export function maintenanceChecks(state: TableState, branch: string, found: TableFiles): readonly Check[] {
  const head = branchHead(state, branch);
  const count = (key: string) => (head === undefined ? undefined : summaryCount(head.summary, key));
  const files = count('total-data-files');
  const bytes = count('total-files-size');
  const deletes = count('total-delete-files') ?? 0;
  const checks: (Check | undefined)[] = [
    atMost(
      'snapshots',
      [...ancestors(state, head)].length,
      MOST.snapshots,
      'count',
      'expire_snapshots: nothing seems to be expiring them',
    ),
    found.metadataBytes === undefined
      ? undefined
      : atMost(
          'metadata file',
          found.metadataBytes,
          MOST.metadataBytes,
          'bytes',
          'expire_snapshots: every commit writes and every planner reads this file',
        ),
    atMost(
      'manifests',
      found.manifests,
      MOST.manifests,
      'count',
      'rewrite_manifests: every query reads all of them',
    ),
    files === undefined || bytes === undefined || files <= MOST.files
      ? undefined
      : atLeast(
          'mean data file',
          Math.round(bytes / files),
          LEAST.fileBytes,
          'bytes',
          'rewrite_data_files, and a longer route window: many small files slow down every query',
        ),
    found.smallFiles === undefined ? undefined : smallFilesCheck(found.smallFiles),
    files === undefined || files === 0
      ? undefined
      : atMost(
          'delete files to data files',
          deletes / files,
          MOST.deleteShare,
          'share',
          'rewrite_data_files with delete-file-threshold: every query applies these deletes',
        ),
    atMost(
      'open quarantine records',
      found.openFailures,
      0,
      'count',
      'iceberg-registrar quarantine list: fix the cause and redrive, or discard',
    ),
    found.historyMs === undefined || found.oldestFailureMs === undefined
      ? undefined
      : atMost(
          'oldest quarantined segment against provable history',
          found.oldestFailureMs,
          found.historyMs / 2,
          'ms',
          'redrive or discard it, or keep snapshots longer: once the snapshots of that time have expired it becomes registration.unprovable',
        ),
    found.historyMs === undefined
      ? undefined
      : atLeast(
          'provable history',
          found.historyMs,
          LEAST.historyMs,
          'ms',
          'keep snapshots longer (history.expire.max-snapshot-age-ms): segments that wait longer become registration.unprovable',
        ),
  ];
  return checks.filter((check) => check !== undefined);
}

function smallFilesCheck({ looked, small, belowBytes }: SmallFiles): Check {
  return atMost(
    'small data files to all that are planned',
    small / Math.max(1, looked),
    MOST.smallShare,
    'share',
    `rewrite_data_files: ${small} of ${looked} files looked at are below ${Math.round(belowBytes / MIB)} MiB, an eighth of write.target-file-size-bytes`,
  );
}
