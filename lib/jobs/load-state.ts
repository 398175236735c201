import { RegistrarError } from '../errors.ts';
import type { Catalog } from '../ports.ts';
import { formatIdentifier, type TableIdentifier } from '../spec/table-identifier.ts';
import { readTableMetadata } from '../spec/table-metadata.ts';
import type { TableState } from '../spec/table-state.ts';
import type { TableTarget } from './register/register-ports.ts';

/**
 * The table as the catalog has it; undefined if it has none.
 *
 * @param before the table as it was last seen: what the catalog repeats of it is not parsed again
 * @throws `catalog.unavailable`, `catalog.refused`, `auth.failed`
 */
export async function loadState(
  catalog: Pick<Catalog, 'load'>,
  table: TableIdentifier,
  before?: TableState,
): Promise<TableState | undefined> {
  const loaded = await catalog.load(table, { known: before?.historyText });
  return loaded && readTableMetadata(table, loaded, before);
}

/** The same of a table that has to be there. @throws `table.missing` too */
export async function requireState(
  catalog: Pick<Catalog, 'load'>,
  target: TableTarget,
  before?: TableState,
): Promise<TableState> {
  const state = await loadState(catalog, target.table, before);
  if (state === undefined) throw missingTable(target);
  return state;
}

/** The table is not there: it is not ours to make, or not yet. */
export function missingTable({ table, entry }: TableTarget): RegistrarError {
  const name = formatIdentifier(table);
  const way = entry.create_table
    ? 'with create_table: true its first registration makes it; backfill registers what was uploaded already'
    : "create it, or set create_table: true and it is made from the segment's schema";
  return new RegistrarError(
    'table.missing',
    `Cannot load table "${name}": the catalog has no such table; ${way}`,
    { context: { table: name } },
  );
}
