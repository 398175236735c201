import { invalid } from './catalog-error.ts';
import type { TableMetadata } from './table-metadata.ts';

/** A table between the updates of one commit. */
export interface Draft {
  readonly metadata: TableMetadata;
  /** The IDs that -1 stands for in `set-current-schema`, `set-default-spec`, `set-default-sort-order`. */
  readonly lastAddedSchemaId?: number | undefined;
  readonly lastAddedSpecId?: number | undefined;
  readonly lastAddedSortOrderId?: number | undefined;
  /** Snapshots that this commit added. */
  readonly addedSnapshotIds: readonly bigint[];
  /** When the table was last changed, once a snapshot of this commit says it. */
  readonly updatedMs?: bigint;
  readonly nowMs: number;
}

/** The draft with some attributes of its metadata changed. */
export function change(draft: Draft, attributes: Partial<TableMetadata>): Draft {
  return { ...draft, metadata: { ...draft.metadata, ...attributes } as TableMetadata };
}

/** What -1 stands for after adding something that the table already has: nothing, unless this same commit added it. */
export function addedAgain(lastAddedId: number | undefined, id: number): number | undefined {
  return lastAddedId === id ? id : undefined;
}

/** The ID that an update names; -1 is the last one added. @throws CatalogError 400 when none was */
export function lastAdded(id: number, lastAddedId: number | undefined, what: string): number {
  if (id !== -1) return id;
  if (lastAddedId === undefined) throw invalid(`Cannot set last added ${what}: no ${what} has been added`);
  return lastAddedId;
}
