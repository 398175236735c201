import { invalid } from './catalog-error.ts';
import type { TableMetadata } from './table-metadata.ts';

/** A table between the updates of one commit. */
export interface Draft {
  readonly metadata: TableMetadata;
  /** What -1 means in `set-current-schema`, `set-default-spec`, `set-default-sort-order`. */
  readonly lastAddedSchemaId?: number | undefined;
  readonly lastAddedSpecId?: number | undefined;
  readonly lastAddedSortOrderId?: number | undefined;
  /** Snapshots that this commit brought. */
  readonly addedSnapshotIds: readonly bigint[];
  /** When the table was last changed, once a snapshot of this commit says it. */
  readonly updatedMs?: bigint;
  readonly nowMs: number;
}

/** The draft with some attributes of its metadata changed. */
export function change(draft: Draft, attributes: Partial<TableMetadata>): Draft {
  return { ...draft, metadata: { ...draft.metadata, ...attributes } as TableMetadata };
}

/** What -1 means after something equal to what the table has was added: nothing, unless this very commit had added it. */
export function addedAgain(lastAddedId: number | undefined, id: number): number | undefined {
  return lastAddedId === id ? id : undefined;
}

/** The ID that an update names; -1 is the last one added. @throws CatalogError 400 when none was */
export function lastAdded(id: number, lastAddedId: number | undefined, what: string): number {
  if (id !== -1) return id;
  if (lastAddedId === undefined) throw invalid(`Cannot set last added ${what}: no ${what} has been added`);
  return lastAddedId;
}
