import type { Schema } from '../../lib/spec/schema.ts';
import type { Metadata, MetadataSnapshot } from './lake.ts';
import { schemaChanges } from './schema-changes.ts';

/** One commit, according to the table's own metadata. */
export interface CommitFigures {
  readonly segments: number;
  readonly rows: number;
  /** `created`, or the schema changes from the parent snapshot to this one. */
  readonly changes: readonly string[];
}

/** The figures of a snapshot; undefined when the metadata does not have it. */
export function commitFigures(metadata: Metadata, snapshotId: bigint): CommitFigures | undefined {
  const snapshot = findSnapshot(metadata, snapshotId);
  if (snapshot === undefined) return undefined;
  const parentId = snapshot['parent-snapshot-id'];
  const parent = parentId == null ? undefined : findSnapshot(metadata, BigInt(parentId));
  const [before, after] = [parent && schemaOf(metadata, parent), schemaOf(metadata, snapshot)];
  return {
    segments: Number(snapshot.summary['added-data-files']),
    rows: Number(snapshot.summary['added-records']),
    changes: parentId == null ? ['created'] : before && after ? schemaChanges(before, after) : [],
  };
}

function findSnapshot(metadata: Metadata, id: bigint): MetadataSnapshot | undefined {
  return metadata.snapshots?.find((snapshot) => BigInt(snapshot['snapshot-id']) === id);
}

function schemaOf(metadata: Metadata, snapshot: MetadataSnapshot): Schema | undefined {
  return metadata.schemas.find((schema) => schema['schema-id'] === snapshot['schema-id']);
}
