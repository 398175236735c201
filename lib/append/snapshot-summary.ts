import type { Snapshot } from '../spec/snapshot.ts';
import type { PreparedAppend } from './prepare.ts';

/** The totals that Java writes and engines read (cases.md C5). */
const TOTALS = [
  'total-records',
  'total-files-size',
  'total-data-files',
  'total-delete-files',
  'total-position-deletes',
  'total-equality-deletes',
] as const;

type Changes = Readonly<Partial<Record<(typeof TOTALS)[number], bigint>>>;

/** The parent's totals with the changes. A total is left out if the parent lacks it or has something that is not a number. */
function totals(parent: Readonly<Record<string, string>>, changes: Changes): Record<string, string> {
  return Object.fromEntries(
    TOTALS.flatMap((total) => {
      const before = parent[total];
      if (before === undefined || !/^\d+$/.test(before)) return [];
      return [[total, String(BigInt(before) + (changes[total] ?? 0n))]];
    }),
  );
}

/** The totals of a branch without a snapshot. */
const NONE: Readonly<Record<string, string>> = Object.fromEntries(TOTALS.map((total) => [total, '0']));

/** The summary of an append: the added counts and the totals. Entries of `own` overwrite the others. */
export function appendSummary(
  prepared: Pick<
    PreparedAppend,
    'addedFiles' | 'addedRecords' | 'addedFilesSizeInBytes' | 'changedPartitionCount'
  >,
  parent: Snapshot | undefined,
  own: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const added = {
    'added-data-files': BigInt(prepared.addedFiles),
    'added-records': prepared.addedRecords,
    'added-files-size': prepared.addedFilesSizeInBytes,
  };
  const summary: Record<string, string> = { operation: 'append' };
  for (const [key, value] of Object.entries(added)) if (value > 0n) summary[key] = String(value);
  summary['changed-partition-count'] = String(prepared.changedPartitionCount);
  const changes = {
    'total-records': added['added-records'],
    'total-files-size': added['added-files-size'],
    'total-data-files': added['added-data-files'],
  };
  return { ...summary, ...totals(parent?.summary ?? NONE, changes), ...own };
}

/** Numbers of files, rows and bytes, for the summary of a snapshot that removes data files. */
export interface FileTotals {
  readonly files: number;
  readonly records: bigint;
  readonly sizeInBytes: bigint;
}

const NO_FILES: FileTotals = { files: 0, records: 0n, sizeInBytes: 0n };

/**
 * The summary of a snapshot that removes data files and their deletion vectors (`delete`), or replaces them (`overwrite`). The
 * number of added files is written even if it is zero, so that the ledger need not read the snapshot's manifests.
 */
export function replaceSummary(
  removed: FileTotals,
  added: FileTotals | undefined,
  parent: Snapshot | undefined,
  own: Readonly<Record<string, string>>,
  vectors: FileTotals = NO_FILES,
): Readonly<Record<string, string>> {
  const { files, records, sizeInBytes } = added ?? NO_FILES;
  const removedBytes = removed.sizeInBytes + vectors.sizeInBytes;
  const summary: Record<string, string> = {
    operation: files > 0 ? 'overwrite' : 'delete',
    'added-data-files': String(files),
    ...(files > 0 && {
      'added-records': String(records),
      'added-files-size': String(sizeInBytes),
    }),
    'deleted-data-files': String(removed.files),
    'deleted-records': String(removed.records),
    'removed-files-size': String(removedBytes),
    ...(vectors.files > 0 && {
      'removed-delete-files': String(vectors.files),
      'removed-dvs': String(vectors.files),
      'removed-position-deletes': String(vectors.records),
    }),
  };
  const changes = {
    'total-records': records - removed.records,
    'total-files-size': sizeInBytes - removedBytes,
    'total-data-files': BigInt(files - removed.files),
    'total-delete-files': BigInt(-vectors.files),
    'total-position-deletes': -vectors.records,
  };
  return { ...summary, ...totals(parent?.summary ?? {}, changes), ...own };
}
