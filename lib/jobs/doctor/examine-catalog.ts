import type { Entry } from '../../config/entry.ts';
import { counted } from '../../counted.ts';
import { isRegistration, registeredBase } from '../../ledger/registration-summary.ts';
import type { ServiceConfig } from '../../ports.ts';
import { formatIdentifier } from '../../spec/table-identifier.ts';
import { readTableMetadata } from '../../spec/table-metadata.ts';
import { branchHead, type TableState } from '../../spec/table-state.ts';
import type { EntryPorts } from '../register/register-ports.ts';
import { type Found, failed, ok, warning } from './finding.ts';

export async function examineCatalog(
  { catalog_uri, catalog_warehouse }: Entry,
  configOf: () => Promise<ServiceConfig>,
): Promise<Found> {
  const { server, basePath, endpoints, idempotencyKeys } = await configOf();
  const parts = [
    server === undefined ? 'it does not tell its version' : `its server is "${server}"`,
    ...(catalog_warehouse === undefined ? [] : [`warehouse "${catalog_warehouse}"`]),
    `paths begin with ${basePath}`,
    endpoints === undefined ? 'no endpoints are listed' : `${endpoints.size} endpoints are listed`,
    ...(idempotencyKeys ? ['Idempotency-Key is known'] : []),
  ];
  return ok(`${catalog_uri} answers as an Iceberg REST catalog: ${parts.join(', ')}`);
}

/** The catalog's configuration may be readable without authentication, so only loading a table proves that the credentials are accepted. */
export async function examineAuthentication({ namespace }: Entry, { catalog }: EntryPorts): Promise<Found> {
  await catalog.load({ namespace, name: 'iceberg-registrar-doctor' });
  return ok(`namespace "${namespace.join('.')}" may be looked at`);
}

export async function examineCreation(entry: Entry, { catalog }: EntryPorts): Promise<Found> {
  if (!entry.create_table) return ok('create_table is false: tables are made by others');
  const supported = await Promise.all(
    (['register', 'commit', 'create'] as const).map(
      async (way) => [way, await catalog.supports(way)] as const,
    ),
  );
  const ways = supported.filter(([, supports]) => supports !== false).map(([way]) => way);
  const listed = supported.some(([, supports]) => supports !== undefined);
  const wanted = entry.create_via;
  if (wanted !== 'auto' && !ways.includes(wanted)) {
    return failed(`the catalog does not list "${wanted}"`, `set create_via to ${ways.join(' or ')}, or auto`);
  }
  return ok(
    `create_via "${wanted}"; the catalog ${listed ? `lists ${ways.join(', ')}` : 'lists no endpoints'}`,
  );
}

export async function examineTable(entry: Entry, { catalog }: EntryPorts, name: string): Promise<Found> {
  const identifier = { namespace: entry.namespace, name };
  const loaded = await catalog.load(identifier);
  const title = `"${formatIdentifier(identifier)}"`;
  if (loaded === undefined) {
    return entry.create_table
      ? ok(`${title} is not there; it is made from its first segment`)
      : failed(`${title} is not there`, 'create it, or set create_table: true');
  }
  const state = readTableMetadata(identifier, loaded);
  if (entry.branch !== 'main' && !(entry.branch in state.refs)) {
    return failed(`${title} has no branch "${entry.branch}"`, 'create the branch, or change the setting');
  }
  if (entry.on_unprovable !== 'register' && showsHeadAlone(state, entry.branch)) {
    return warning(
      `${title} loads; of its snapshots the catalog shows the newest alone, without its parent, as Nessie does: what came before cannot be proven`,
      'set on_unprovable: register (docs/catalogs.md); otherwise segments that wait while others are committed go to quarantine',
    );
  }
  const appends = [...state.snapshots.values()].filter(({ summary }) => summary['operation'] === 'append');
  const foreign = appends.filter(({ summary }) => !isRegistration(summary));
  if (foreign.length > 0) {
    return warning(
      `${title} loads; ${foreign.length} of its ${appends.length} retained appends are of other writers`,
      'see that no second registrar takes the same segments: each would be there twice',
    );
  }
  const elsewhere = appends.flatMap(({ summary }) => registeredBase(summary) ?? []);
  const bases = [...new Set(elsewhere)].filter((base) => !`${base}/`.startsWith(`${entry.url}/`));
  if (bases.length > 0) {
    return warning(
      `${title} loads; registrations of it come from "${bases[0]}" too, outside ${entry.url}`,
      'see that no second registrar takes the same segments: each would be there twice',
    );
  }
  return ok(
    `${title} loads: format version ${state.formatVersion}, ${counted(state.snapshots.size, 'snapshot')}`,
  );
}

/** Whether the head is the only snapshot and names no parent, although the table has files that it did not add. */
function showsHeadAlone(state: TableState, branch: string): boolean {
  const head = branchHead(state, branch);
  if (head === undefined || head.parentSnapshotId !== undefined || state.snapshots.size > 1) return false;
  const count = (name: string) => Number(head.summary[name] ?? 0);
  return count('total-data-files') > count('added-data-files');
}
