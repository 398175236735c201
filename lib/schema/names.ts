import { mappedChildren, mappedField, type NameMapping } from '../spec/name-mapping.ts';
import type { PartitionField } from '../spec/partition-spec.ts';
import { type Column, type Columns, fullName, pathOf } from './columns.ts';
import type { Violation } from './violation.ts';

export interface NameRules {
  readonly caseSensitiveNames: boolean;
  /** A name may move from one field ID to another: the IDs are known not to be assigned by position. */
  readonly namesMayMove: boolean;
  /** Of every spec of the table. */
  readonly partitionFields: readonly PartitionField[];
  readonly mapping: NameMapping | undefined;
}

/**
 * What is wrong with the names that a merge brings: held by another column, alone or up to letter case; moved from one
 * field ID to another; a partition field's; another column's in the name mapping.
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
  const holders = Map.groupBy(table.values(), (column) => fold(fullName(table, column)));

  const problemOf = (column: Column): string | undefined => {
    const name = fullName(table, column);
    const holder = holders.get(fold(name))?.find((other) => other.id !== column.id);
    if (holder !== undefined) {
      return fullName(table, holder) === name
        ? `column ${holder.id} of the table has this name; rename or drop one of them, then redrive`
        : `only letter case tells it from column "${fullName(table, holder)}" (${holder.id}), and most engines cannot; rename one of them, or set case_sensitive_names: true`;
    }
    const formerOwner = ownerOf(column, earlier.table, table) ?? ownerOf(column, earlier.dataset, table);
    if (formerOwner !== undefined && !rules.namesMayMove) {
      return `in one step its name moved here from column ${formerOwner.id}, the mark of field IDs assigned by position; where IDs are stable set field_ids: stable, then redrive`;
    }
    const partition = rules.partitionFields.find((field) => clashes(field, name, column.id));
    if (partition !== undefined) {
      return `partition field "${partition.name}" of the table has this name; rename the column`;
    }
    const mapped = mappedField(mappedChildren(rules.mapping ?? [], column.parentId), column.name)?.[
      'field-id'
    ];
    return mapped === undefined || mapped === column.id
      ? undefined
      : `the table's name mapping gives this name to column ${mapped}; remove it there or rename the column, then redrive`;
  };
  return introduced.flatMap((column) => {
    const problem = problemOf(column);
    return problem === undefined ? [] : { path: pathOf(table, column), fieldId: column.id, problem };
  });
}

/** The column of the table that had this very name among its siblings and gave it up. */
function ownerOf(column: Column, earlier: Columns, table: Columns): Column | undefined {
  if (column.role !== 'field' || earlier.get(column.id)?.name === column.name) return undefined;
  return earlier
    .values()
    .find(
      (other) =>
        other.id !== column.id &&
        other.parentId === column.parentId &&
        other.name === column.name &&
        table.has(other.id),
    );
}

/** Only an identity or void field may be named like a column, and then like its source (Java's `PartitionSpec.Builder`). */
function clashes(
  { name, transform, 'source-id': sourceId }: PartitionField,
  column: string,
  id: number,
): boolean {
  const namesItsSource = (transform === 'identity' || transform === 'void') && sourceId === id;
  return name === column && !namesItsSource;
}
