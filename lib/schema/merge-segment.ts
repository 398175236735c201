import { onceFor } from '../memo.ts';
import type { NameMapping } from '../spec/name-mapping.ts';
import type { PartitionField } from '../spec/partition-spec.ts';
import type { Schema } from '../spec/schema.ts';
import { fieldIdsByName, withIds } from './column-ids.ts';
import { type Columns, columnsOf, fullName, pathOf } from './columns.ts';
import { fingerprint, withFollowed } from './dataset-schema.ts';
import { fit } from './fit.ts';
import { type Followed, follow, type Merged } from './follow.ts';
import { nameViolations } from './names.ts';
import type { SchemaChange } from './schema-change.ts';
import type { SegmentSchema } from './segment-schema.ts';
import type { Violation } from './violation.ts';

/** The properties of a table and its configuration that affect every segment of a merge. */
export interface TableRules {
  readonly lastColumnId: number;
  readonly pastColumns: () => Columns;
  readonly identifierIds: readonly number[];
  readonly partitionFields: readonly PartitionField[];
  readonly partitionSourceIds: ReadonlySet<number>;
  readonly mapping: NameMapping | undefined;
  readonly caseSensitiveNames: boolean;
  readonly namesMayMove: boolean;
}

export interface SegmentMerge {
  readonly merged: Merged;
  readonly violations: readonly Violation[];
  readonly absent: readonly SchemaChange[];
  readonly fieldIds: ReadonlyMap<number, number> | undefined;
}

/** Merges one segment: its changes, or why they must not be made. */
export function mergeSegment(segment: SegmentSchema, before: Merged, table: TableRules): SegmentMerge {
  const { columns, provenNonNull, fieldIds, twice } = underFinalIds(segment, before, table);
  const schema = schemaFingerprint(columns);
  const isFollowed = before.dataset.followed.includes(schema);
  const followed: Followed = isFollowed
    ? { ...before, violations: [], refused: new Set() }
    : follow(columns, before, {
        byName: fieldIds !== undefined,
        pastColumns: table.pastColumns,
        uploadedMs: segment.lastModifiedMs,
      });
  const fitted = fit(columns, followed.table, {
    identifierIds: table.identifierIds,
    partitionSourceIds: table.partitionSourceIds,
    provenNonNull,
    refused: followed.refused,
  });
  const names = isFollowed
    ? []
    : nameViolations(fitted.table, { table: before.table, dataset: before.dataset.columns }, table);

  const newlyAbsent = absentColumns(columns, fitted.table).filter(
    (id) => !before.dataset.dropped.includes(id),
  );
  let dataset = followed.dataset;
  if (!isFollowed) dataset = withFollowed(dataset, schema);
  if (newlyAbsent.length > 0) dataset = { ...dataset, dropped: [...dataset.dropped, ...newlyAbsent] };
  return {
    merged: { table: fitted.table, dataset },
    violations: [...twice, ...followed.violations, ...fitted.violations, ...names],
    absent: newlyAbsent.map((fieldId) => ({ kind: 'absent', fieldId, path: nameOf(columns, fieldId) })),
    fieldIds,
  };
}

/** A segment's columns. Most segments of a batch share their schema. */
const segmentColumns = onceFor((schema: Schema): Columns => columnsOf(schema));
const schemaFingerprint = onceFor(fingerprint);

interface IdentifiedSegment {
  readonly columns: Columns;
  readonly provenNonNull: ReadonlySet<number>;
  /** Final IDs by provisional ones, if they come from names. */
  readonly fieldIds: ReadonlyMap<number, number> | undefined;
  /** Violations: columns whose names are aliases of the same column. */
  readonly twice: readonly Violation[];
}

function underFinalIds(segment: SegmentSchema, before: Merged, table: TableRules): IdentifiedSegment {
  const columns = segmentColumns(segment.schema);
  const { provenNonNull } = segment;
  if (segment.idsFrom === 'file') return { columns, provenNonNull, fieldIds: undefined, twice: [] };
  const fieldIds = fieldIdsByName(segment.schema, table.mapping ?? [], before, table.lastColumnId);
  const sharing = Map.groupBy(columns.values(), ({ id }) => fieldIds.get(id) ?? id);
  return {
    columns: withIds(columns, fieldIds),
    provenNonNull: new Set(provenNonNull.values().map((id) => fieldIds.get(id) ?? id)),
    fieldIds,
    twice: [...sharing].flatMap(([fieldId, [column, other]]) => {
      if (column === undefined || other === undefined) return [];
      const path = pathOf(columns, column);
      return {
        path,
        fieldId,
        problem: `the name mapping takes it and "${fullName(columns, other)}" for one column; write one of them`,
      };
    }),
  };
}

/** The outermost columns of a segment that the table lacks. */
function absentColumns(columns: Columns, table: Columns): readonly number[] {
  return [...columns.values()]
    .filter(({ id, parentId }) => !table.has(id) && (parentId === undefined || table.has(parentId)))
    .map(({ id }) => id);
}

function nameOf(columns: Columns, id: number): string {
  const column = columns.get(id);
  return column === undefined ? '' : fullName(columns, column);
}
