import { isSameOrPromotion } from '../spec/primitive-type.ts';
import { type Column, type Columns, isInMapKey, pathOf, withAncestors } from './columns.ts';
import { isInPlace, otherType, placesOf } from './follow.ts';
import type { Violation } from './violation.ts';

export interface FitRules {
  /** Identifier fields of the table. */
  readonly identifierIds: readonly number[];
  /** Columns that get the value of an identity partition if a file lacks them (table spec, "Column Projection"). */
  readonly partitionSourceIds: ReadonlySet<number>;
  /** Columns of the segment that contain no null in any row group where their parent is present (cases.md A30). */
  readonly provenNonNull: ReadonlySet<number>;
  /** Columns of the segment that were already refused. */
  readonly refused: ReadonlySet<number>;
}

export interface Fit {
  /** The table's columns, with those made optional that this segment cannot fill. */
  readonly table: Columns;
  readonly violations: readonly Violation[];
}

/**
 * Checks whether a segment can be read correctly under the table's schema: every common column is in its place, with the
 * table's type or one that readers promote to it, and there is at least one. Columns that the table requires but the segment
 * does not prove non-null become optional.
 */
export function fit(segment: Columns, table: Columns, rules: FitRules): Fit {
  const violations: Violation[] = [];
  let common = 0;
  for (const column of segment.values()) {
    const held = table.get(column.id);
    if (held === undefined) continue;
    common += 1;
    if (rules.refused.has(column.id)) continue;
    const problem = unreadable(column, held);
    if (problem !== undefined)
      violations.push({ path: pathOf(segment, column), fieldId: column.id, problem });
  }
  if (common === 0) {
    violations.push({
      path: [],
      fieldId: undefined,
      problem: 'none of its field IDs is in the table; check that it belongs to this dataset',
    });
  }

  const guarded = identifierPath(table, rules.identifierIds);
  const relaxed = new Map(table);
  for (const held of table.values()) {
    if (!held.required) continue;
    const column = segment.get(held.id);
    const filled =
      column === undefined
        ? isFilled(held, segment, rules)
        : column.required || rules.provenNonNull.has(held.id);
    if (filled) continue;
    if (held.role !== 'key' && isInMapKey(table, held)) {
      violations.push({
        path: pathOf(table, held),
        fieldId: held.id,
        problem: `map keys never change, but the file ${column === undefined ? 'lacks this required part of one' : 'does not prove that it has no nulls'}; write it as required`,
      });
    }
    if (guarded.has(held.id)) {
      violations.push({
        path: pathOf(table, held),
        fieldId: held.id,
        problem: `the table needs it for its identifier fields, and the file ${column === undefined ? 'lacks it' : 'does not prove that it has no nulls'}; write it, or drop the identifier fields`,
      });
    }
    relaxed.set(held.id, { ...held, required: false });
  }
  return { table: relaxed, violations };
}

function unreadable(column: Column, held: Column): string | undefined {
  if (!isInPlace(column, held)) {
    return `a column never moves, but ${placesOf(column, held)}; give it a new field ID`;
  }
  return isSameOrPromotion(column.type, held.type) ? undefined : otherType(column, held, 'table');
}

/**
 * Whether a required column that the file lacks gets its values from a partition or a default, or is never read because the
 * file lacks its parent too.
 */
function isFilled(held: Column, segment: Columns, rules: FitRules): boolean {
  const inAbsentParent = held.parentId !== undefined && !segment.has(held.parentId);
  return inAbsentParent || rules.partitionSourceIds.has(held.id) || held.field?.['initial-default'] != null;
}

/** Identifier fields and the structs around them, all of which must stay required (table spec, "Identifier Field IDs"). */
function identifierPath(table: Columns, identifierIds: readonly number[]): ReadonlySet<number> {
  const path = new Set<number>();
  for (const id of identifierIds) {
    const column = table.get(id);
    if (column === undefined) continue;
    for (const at of withAncestors(table, column)) path.add(at.id);
  }
  return path;
}
