import { isPromotion, isSameOrPromotion, samePrimitive } from '../spec/primitive-type.ts';
import { type Column, type Columns, isInMapKey, pathOf } from './columns.ts';
import { columnChangedMs, type DatasetSchema, withChange } from './dataset-schema.ts';
import type { Violation } from './violation.ts';

/** The columns of table and dataset, as left by the segments merged so far. */
export interface Merged {
  readonly table: Columns;
  readonly dataset: DatasetSchema;
}

export interface FollowRules {
  /** The field IDs were resolved by name, so names agree by definition and nothing is a rename. */
  readonly byName: boolean;
  /** Columns of every schema under which the table had data: IDs that a new column must not take. */
  readonly pastColumns: () => Columns;
  readonly uploadedMs: number;
}

export interface Followed extends Merged {
  readonly violations: readonly Violation[];
  /** Columns of the segment affected by a violation of their own or of a parent. */
  readonly refused: ReadonlySet<number>;
}

/** The change that one column of a segment makes. */
type Step =
  | { readonly dataset: Column; readonly table: Column | undefined; readonly pastName?: string }
  | { readonly problem: string };

/**
 * The three-way merge of one segment: what changed from the dataset's schema to the segment's is applied to the table's.
 * Columns that the segment lacks stay, and changes that others made to the table stand until the dataset changes that column.
 */
export function follow(segment: Columns, before: Merged, rules: FollowRules): Followed {
  const table = new Map(before.table);
  const columns = new Map(before.dataset.columns);
  const pastNames = new Map(before.dataset.pastNames);
  const violations: Violation[] = [];
  const refused = new Set<number>();
  /** Refused without a violation, because others dropped them from the table. */
  const dropped = new Set<number>();
  let changed = false;
  const violate = (column: Column, problem: string): void => {
    violations.push({ path: pathOf(segment, column), fieldId: column.id, problem });
  };

  for (const column of segment.values()) {
    const held = table.get(column.id);
    if (column.parentId !== undefined && refused.has(column.parentId)) {
      refused.add(column.id);
      if (!dropped.has(column.parentId)) continue;
      dropped.add(column.id);
      if (held !== undefined) violate(column, elsewhere(column, held));
      continue;
    }
    const known = columns.get(column.id);
    const step =
      known !== undefined
        ? evolve(column, known, held, segment, before.dataset, rules)
        : held !== undefined
          ? adopt(column, held, segment, before.table, rules)
          : add(column, segment, table, before, rules);
    if ('problem' in step) {
      refused.add(column.id);
      // A dropped column stays dropped, whatever became of its type; but what takes its ID in another place would be a column of the table.
      if (known !== undefined && held === undefined && isInPlace(column, known)) dropped.add(column.id);
      else violate(column, step.problem);
      continue;
    }
    if (known?.name !== step.dataset.name || known.type !== step.dataset.type) changed = true;
    columns.set(column.id, step.dataset);
    if (step.table !== undefined) table.set(column.id, step.table);
    if (step.pastName !== undefined) {
      pastNames.set(column.id, [...(pastNames.get(column.id) ?? []), step.pastName]);
    }
  }
  const dataset = { ...before.dataset, columns, pastNames };
  return {
    table,
    dataset: changed ? withChange(dataset, before.dataset, segment, rules.uploadedMs) : dataset,
    violations,
    refused,
  };
}

/** Merges a column that the dataset already had. */
function evolve(
  column: Column,
  known: Column,
  held: Column | undefined,
  segment: Columns,
  dataset: DatasetSchema,
  { uploadedMs, byName }: FollowRules,
): Step {
  if (!isInPlace(column, known)) {
    return { problem: `a column never moves, but ${placesOf(column, known)}; give it a new field ID` };
  }
  const promoted = isPromotion(known.type, column.type);
  if (promoted && isInMapKey(segment, column)) {
    return { problem: `map keys never change, but ${typesOf(column, known, 'dataset')}; write a new map` };
  }
  if (!promoted && !samePrimitive(column.type, known.type)) {
    const narrower = isPromotion(column.type, known.type);
    if (!narrower) return { problem: otherType(column, known, 'dataset') };
    // Uploads of one moment have no order: a store tells seconds apart. A narrower type reads under the wider one.
    if (uploadedMs > dataset.changedMs) {
      return {
        problem: `a type never becomes narrower, but ${typesOf(column, known, 'dataset')}; write ${known.type} again`,
      };
    }
  }
  const hadName = column.name === known.name || dataset.pastNames.get(column.id)?.includes(column.name);
  const newName = !hadName && !byName;
  const renamed = newName && uploadedMs >= columnChangedMs(dataset, column.id);
  const pastName = renamed ? known.name : newName ? column.name : undefined;
  return {
    dataset: {
      ...known,
      name: renamed ? column.name : known.name,
      type: promoted ? column.type : known.type,
      required: known.required && column.required,
    },
    table: held && {
      ...held,
      name: renamed ? column.name : held.name,
      type: promoted && isPromotion(held.type, column.type) ? column.type : held.type,
    },
    ...(pastName !== undefined && { pastName }),
  };
}

/**
 * Merges a column that is new to the dataset but not to the table: added by SQL, or present before the first registration. The
 * wider type stands, whichever segment of the dataset comes first.
 */
function adopt(column: Column, held: Column, segment: Columns, table: Columns, rules: FollowRules): Step {
  if (!isInPlace(column, held)) return { problem: elsewhere(column, held) };
  if (column.name !== held.name && !rules.byName) {
    return {
      problem: `the table has this ID for column "${pathOf(table, held).join('.')}"; give it a new field ID, or rename one of them`,
    };
  }
  const wider = isPromotion(held.type, column.type);
  if (!wider && !isSameOrPromotion(column.type, held.type)) {
    return { problem: otherType(column, held, 'table') };
  }
  if (wider && isInMapKey(segment, column)) {
    return { problem: `map keys never change, but ${typesOf(column, held, 'table')}; write a new map` };
  }
  return {
    dataset: { ...column, name: held.name },
    table: wider ? { ...held, type: column.type } : held,
  };
}

/** Adds a column that neither the dataset nor the table has. */
function add(
  column: Column,
  segment: Columns,
  table: Columns,
  before: Merged,
  { pastColumns }: FollowRules,
): Step {
  const { parentId } = column;
  const old = pastColumns().get(column.id);
  if (old !== undefined) {
    return {
      problem: `this ID was column "${pathOf(pastColumns(), old).join('.')}" of the table, which was dropped: older data files may hold its values; give it a new field ID`,
    };
  }
  const optional = { ...column, required: isInMapKey(segment, column) && column.required };
  if (parentId === undefined) return { dataset: column, table: optional };
  if (!table.has(parentId)) return { dataset: column, table: undefined };
  const parentIsNew = !before.table.has(parentId);
  if (!parentIsNew && column.role !== 'field') {
    const sibling = before.table
      .values()
      .find((other) => other.parentId === parentId && other.role === column.role);
    return {
      problem: `the ${column.role} of a ${segment.get(parentId)?.type} keeps its field ID, which is ${sibling?.id} in the table; write it with that ID`,
    };
  }
  if (!parentIsNew && isInMapKey(segment, column)) {
    return { problem: 'map keys never change, and this would add a column to one; write a new map' };
  }
  return { dataset: column, table: optional };
}

export function isInPlace(column: Column, other: Column): boolean {
  return column.parentId === other.parentId && column.role === other.role;
}

function elsewhere(column: Column, held: Column): string {
  return `the table has this ID elsewhere: ${placesOf(column, held)}; give it a new field ID`;
}

/** The message about a type that is not followed. It does not depend on which of the two is wider. */
export function otherType(column: Column, other: Column, owner: 'dataset' | 'table'): string {
  return (
    `${typesOf(column, other, owner)}, and only int → long, float → double and decimal(P,S) → decimal(P′>P,S) are followed; ` +
    'write the old type, or a new column with a new field ID'
  );
}

function typesOf(column: Column, other: Column, owner: string): string {
  return `the file has ${column.type}, the ${owner} ${other.type}`;
}

export function placesOf(column: Column, other: Column): string {
  return `the file has it ${place(column)}, the table ${place(other)}`;
}

function place({ parentId, role }: Column): string {
  return parentId === undefined ? 'at the root' : `as ${role} of column ${parentId}`;
}
