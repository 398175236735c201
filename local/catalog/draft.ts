import type { TableMetadata } from './table-metadata.ts';

/** A table between the updates of one commit. */
export interface Draft {
  readonly metadata: TableMetadata;
  /** What -1 means in `set-current-schema`, `set-default-spec`, `set-default-sort-order`. */
  readonly lastAddedSchemaId?: number | undefined;
  readonly lastAddedSpecId?: number | undefined;
  readonly lastAddedSortOrderId?: number | undefined;
  /** Schemas and snapshots that this commit brought. */
  readonly addedSchemaIds: readonly number[];
  readonly addedSnapshotIds: readonly bigint[];
  /** When the table was last changed, once a snapshot of this commit says it. */
  readonly updatedMs?: bigint;
  readonly nowMs: number;
}

/** The draft with some attributes of its metadata changed. */
export function change(draft: Draft, attributes: Partial<TableMetadata>): Draft {
  return { ...draft, metadata: { ...draft.metadata, ...attributes } as TableMetadata };
}
