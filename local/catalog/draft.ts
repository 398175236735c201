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
  /** The time of the change, if a snapshot of this commit determines it. */
  readonly updatedMs?: bigint;
  readonly nowMs: number;
}

/** The draft with some attributes of its metadata changed. */
export function change(draft: Draft, attributes: Partial<TableMetadata>): Draft {
  return { ...draft, metadata: { ...draft.metadata, ...attributes } as TableMetadata };
}

/** The ID that -1 stands for after adding an equal item again: none, unless this commit added that item. */
export function addedAgain(lastAddedId: number | undefined, id: number): number | undefined {
  return lastAddedId === id ? id : undefined;
}

/** The ID that an update names; -1 is the last one added. @throws CatalogError 400 when none was */
export function lastAdded(id: number, lastAddedId: number | undefined, what: string): number {
  if (id !== -1) return id;
  if (lastAddedId === undefined) throw invalid(`Cannot set last added ${what}: no ${what} has been added`);
  return lastAddedId;
}
