import { RegistrarError } from '../../errors.ts';
import { type QuarantinesPorts, quarantines } from './quarantine-list.ts';

/** The table that a name means, or the tables that have records where it means none of them. */
export type NamedTable = { readonly table: string } | { readonly known: readonly string[] };

/**
 * Finds the table with records that has this name, with or without its namespace. Every record is read where the name is not a
 * whole one, since only records name their table.
 *
 * @throws `config.invalid` where several tables have the name in different namespaces
 */
export async function namedTable(ports: QuarantinesPorts, name: string): Promise<NamedTable> {
  for (const quarantine of quarantines(ports)) {
    for await (const _ of quarantine.list({ table: name })) return { table: name };
  }
  const known = new Set<string>();
  for (const quarantine of quarantines(ports)) {
    for await (const { record } of quarantine.list()) if (record.table !== undefined) known.add(record.table);
  }
  const [table, ...others] = [...known].filter((one) => one.endsWith(`.${name}`));
  if (table === undefined) return { known: [...known].toSorted() };
  if (others.length === 0) return { table };
  throw new RegistrarError(
    'config.invalid',
    `Cannot tell which table is "${name}": ${[table, ...others].toSorted().join(' and ')} have records in quarantine; give one of them in full`,
  );
}
