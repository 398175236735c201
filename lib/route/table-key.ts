import type { Entry } from '../config/entry.ts';
import type { TableIdentifier } from '../spec/table-identifier.ts';

/**
 * A key for a table. The name alone is not enough: tables of two catalogs may share one, and names may contain dots. Group IDs
 * are made of it, so it must stay the same from release to release.
 */
export function tableKey({
  entry,
  table,
}: {
  readonly entry: Pick<Entry, 'catalog_uri' | 'catalog_warehouse' | 'catalog_prefix'>;
  readonly table: TableIdentifier;
}): string {
  return JSON.stringify([
    entry.catalog_uri,
    entry.catalog_warehouse,
    entry.catalog_prefix,
    ...table.namespace,
    table.name,
  ]);
}

/** A key for a table on the branch of its entry. */
export function branchKey(target: { readonly entry: Entry; readonly table: TableIdentifier }): string {
  return JSON.stringify([target.entry.branch, tableKey(target)]);
}
