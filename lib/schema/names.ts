import { mappedByName, mappedChildren, type NameMapping } from '../spec/name-mapping.ts';
import type { PartitionField } from '../spec/partition-spec.ts';
import { type Column, type Columns, columnsNamed, fullName, pathOf } from './columns.ts';
import type { Violation } from './violation.ts';

export interface NameRules {
  readonly caseSensitiveNames: boolean;
  /** Whether a name may move from one field ID to another: true if the IDs are known not to be assigned by position. */
  readonly namesMayMove: boolean;
  /** The partition fields of every spec of the table. */
  readonly partitionFields: readonly PartitionField[];
  readonly mapping: NameMapping | undefined;
}

/**
 * Checks the names that a merge introduces: held by another column (exactly, or except for letter case), moved from one field
 * ID to another, equal to a partition field's name, or another column's in the name mapping.
 *
 * @param earlier what names were before the merge: the table's columns, and the dataset's
 */
export function nameViolations(
  table: Columns,
  earlier: { readonly table: Columns; readonly dataset: Columns },
  rules: NameRules,
): readonly Violation[] {
  const fold = (name: string) => (rules.caseSensitiveNames ? name : name.toLowerCase());
  const introduced = [...table.values()].filter((column) => {
    const before = earlier.table.get(column.id);
    return before === undefined || fullName(earlier.table, before) !== fullName(table, column);
  });
  if (introduced.length === 0) return [];
  const ownerInTable = formerOwners(earlier.table, table);
  const ownerInDataset = formerOwners(earlier.dataset, table);
  const mappings = mappingsBelow(new Set(introduced.map(({ parentId }) => parentId)), rules.mapping);
  const holders = Map.groupBy(table.values(), (column) => fold(fullName(table, column)));

  const problemOf = (column: Column): string | undefined => {
    const name = fullName(table, column);
    const holder = holders.get(fold(name))?.find((other) => other.id !== column.id);
    if (holder !== undefined) {
      return fullName(table, holder) === name
        ? `column ${holder.id} of the table has this name; rename or drop one of them, then redrive`
        : `only letter case tells it from column "${fullName(table, holder)}" (${holder.id}), and most engines cannot; rename one of them, or set case_sensitive_names: true`;
    }
    const formerOwner = ownerInTable(column) ?? ownerInDataset(column);
    if (formerOwner !== undefined && !rules.namesMayMove) {
      return `in one step its name moved here from column ${formerOwner.id}, the mark of field IDs assigned by position; where IDs are stable set field_ids: stable, then redrive`;
    }
    const partition = rules.partitionFields.find((field) => clashes(field, name, column.id));
    if (partition !== undefined) {
      return `partition field "${partition.name}" of the table has this name; rename the column`;
    }
    const mapped = mappings.get(column.parentId)?.get(column.name)?.['field-id'];
    return mapped === undefined || mapped === column.id
      ? undefined
      : `the table's name mapping gives this name to column ${mapped}; remove it there or rename the column, then redrive`;
  };
  return introduced.flatMap((column) => {
    const problem = problemOf(column);
    return problem === undefined ? [] : { path: pathOf(table, column), fieldId: column.id, problem };
  });
}

/** Finds the sibling column of the table that had exactly this name and gave it up. */
function formerOwners(earlier: Columns, table: Columns): (column: Column) => Column | undefined {
  const named = columnsNamed(earlier);
  return ({ id, parentId, role, name }) =>
    role === 'field' && earlier.get(id)?.name !== name
      ? named(parentId, name).find((other) => other.id !== id && table.has(other.id))
      : undefined;
}

/** The name mapping's fields below each of these columns, by name. */
function mappingsBelow(parentIds: ReadonlySet<number | undefined>, mapping: NameMapping = []) {
  return new Map(
    parentIds.values().map((parentId) => [parentId, mappedByName(mappedChildren(mapping, parentId))]),
  );
}

/**
 * Whether a partition field's name clashes with a column's. Only an identity or void field may be named like a column, and then
 * only like its source (Java's `PartitionSpec.Builder`).
 */
function clashes(
  { name, transform, 'source-id': sourceId }: PartitionField,
  column: string,
  id: number,
): boolean {
  const namesItsSource = (transform === 'identity' || transform === 'void') && sourceId === id;
  return name === column && !namesItsSource;
}
