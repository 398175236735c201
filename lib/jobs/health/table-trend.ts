import { oldestUploadMs } from '../../ledger/upload-time.ts';
import { columnsOf } from '../../schema/columns.ts';
import { formatChange, schemaChanges } from '../../schema/schema-change.ts';
import type { Snapshot } from '../../spec/snapshot.ts';
import { ancestors, branchHead, type TableState } from '../../spec/table-state.ts';

/** One retained snapshot by its summary; what its writer left out is undefined. */
export interface Moment {
  readonly atMs: number;
  readonly operation: string;
  readonly addedFiles: number | undefined;
  readonly addedRows: number | undefined;
  readonly addedBytes: number | undefined;
  readonly totalFiles: number | undefined;
  readonly totalRows: number | undefined;
  readonly totalBytes: number | undefined;
  /** Time from the upload of its oldest segment to the commit; undefined if the summary does not have it. */
  readonly lagMs: number | undefined;
}

/** A schema that came into use, with its changes: `+ note (7): string`. */
export interface SchemaMoment {
  readonly atMs: number;
  readonly schemaId: number;
  readonly changes: readonly string[];
}

/** What the retained snapshots of a branch show, oldest first. */
export interface Trend {
  readonly moments: readonly Moment[];
  readonly schemas: readonly SchemaMoment[];
}

export function trendOf(state: TableState, branch: string): Trend {
  const snapshots = [...ancestors(state, branchHead(state, branch))].reverse();
  return { moments: snapshots.map(momentOf), schemas: schemaMoments(state, snapshots) };
}

/** The trend without its past. */
export function newestOf({ moments }: Trend): Trend {
  return { moments: moments.slice(-1), schemas: [] };
}

function momentOf({ timestampMs, summary }: Snapshot): Moment {
  const count = (key: string) => summaryCount(summary, key);
  const atMs = Number(timestampMs);
  const uploadedMs = oldestUploadMs(summary);
  return {
    atMs,
    operation: summary['operation'] ?? 'unknown',
    addedFiles: count('added-data-files'),
    addedRows: count('added-records'),
    addedBytes: count('added-files-size'),
    totalFiles: count('total-data-files'),
    totalRows: count('total-records'),
    totalBytes: count('total-files-size'),
    lagMs: uploadedMs === undefined ? undefined : Math.max(0, atMs - uploadedMs),
  };
}

/** A count from a snapshot's summary, for display: beyond 2⁵³ it is rounded. */
export function summaryCount(summary: Snapshot['summary'], key: string): number | undefined {
  const value = summary[key];
  return value !== undefined && /^\d+$/.test(value) ? Number(value) : undefined;
}

function schemaMoments(state: TableState, snapshots: readonly Snapshot[]): readonly SchemaMoment[] {
  const schemaOf = new Map(state.schemas.map((schema) => [schema['schema-id'], schema]));
  const moments: SchemaMoment[] = [];
  let before: number | undefined;
  for (const { schemaId, timestampMs } of snapshots) {
    const schema = schemaOf.get(schemaId);
    if (schemaId === undefined || schema === undefined || schemaId === before) continue;
    const earlier = schemaOf.get(before);
    const changes = earlier === undefined ? [] : schemaChanges(columnsOf(earlier), columnsOf(schema));
    moments.push({ atMs: Number(timestampMs), schemaId, changes: changes.map(formatChange) });
    before = schemaId;
  }
  return moments;
}
