import type { Entry } from '../../config/entry.ts';
import { RegistrarError } from '../../errors.ts';
import type { Catalog, Clock, LoadedTable, Random, Store } from '../../ports.ts';
import { differences, finishingCommit, isHalfMade } from '../../schema/half-made-table.ts';
import {
  creationCommit,
  type LocatedTable,
  metadataFile,
  type NewTable,
  type NewTableSettings,
  newTable,
} from '../../schema/new-table.ts';
import type { SegmentSchema } from '../../schema/segment-schema.ts';
import { stringifyJson } from '../../spec/json.ts';
import { formatIdentifier, type TableIdentifier } from '../../spec/table-identifier.ts';
import { readTableMetadata } from '../../spec/table-metadata.ts';
import { newestMetadata } from './lost-table.ts';

export interface CreateTablePorts {
  readonly catalog: Catalog;
  readonly store: Pick<Store, 'write' | 'list'>;
  readonly clock: Clock;
  readonly random: Pick<Random, 'uuid'>;
}

export type CreateTableSettings = NewTableSettings & Pick<Entry, 'create_via'>;

const MAX_FINISHING_ATTEMPTS = 5;

/**
 * Creates a dataset's table with the field IDs of its first segment, or finishes one that was half created ({@link
 * isHalfMade}). When two creators race, both get the same table. A table that somebody else created in the meantime is returned
 * as it is.
 *
 * @throws `catalog.refused` saying what the catalog did when it answers another table than it was sent, `table.missing` when
 *   the catalog has lost a table that lies there, `catalog.commit_unknown`, `sink.iceberg_schema_mismatch` and
 *   `sink.iceberg_partition_undetermined` for a segment that cannot begin a table
 */
export async function createTable(
  ports: CreateTablePorts,
  settings: CreateTableSettings,
  identifier: TableIdentifier,
  segment: SegmentSchema,
): Promise<LoadedTable> {
  const { catalog, clock, random, store } = ports;
  const existing = await catalog.load(identifier);
  if (existing !== undefined) return finish(catalog, settings, identifier, existing);

  const table = newTable(identifier, segment, settings, random.uuid());
  const known = await lost(ports, identifier, table);
  if (known !== undefined) return finish(catalog, settings, identifier, known);
  await catalog.createNamespace(identifier.namespace);
  const refusals: string[] = [];
  for (const route of await routes(catalog, settings.create_via)) {
    const made = await makeVia[route]({ catalog, store, nowMs: clock.now() }, identifier, table);
    if ('refusal' in made) refusals.push(`${route}: ${made.refusal}`);
    else return finish(catalog, settings, identifier, made.table);
  }
  throw refused(
    identifier,
    `create_via "${settings.create_via}" found no way that the catalog accepts: ${refusals.join('; ')}`,
  );
}

/**
 * Makes sure that the catalog has not lost a table at this location; returns one that was created in the meantime.
 *
 * @throws `table.missing` when there is a table at the location that the catalog does not know
 */
async function lost(
  { catalog, store }: CreateTablePorts,
  identifier: TableIdentifier,
  { location, properties }: NewTable,
): Promise<LoadedTable | undefined> {
  const newest = location === undefined ? undefined : await newestMetadata(store, location, properties);
  if (newest === undefined) return undefined;
  const loaded = await catalog.load(identifier);
  if (loaded !== undefined) return loaded;
  const table = formatIdentifier(identifier);
  throw new RegistrarError(
    'table.missing',
    `Cannot create table "${table}": the catalog has no such table, but "${newest}" is the metadata of one at this location; register that file in the catalog, or, for a new table, move the metadata directory away`,
    { context: { table, newest } },
  );
}

type Route = 'register' | 'commit' | 'create';
type Made = { readonly table: LoadedTable } | { readonly refusal: string };
type Make = (
  ports: Pick<CreateTablePorts, 'catalog' | 'store'> & { readonly nowMs: number },
  identifier: TableIdentifier,
  table: NewTable,
) => Promise<Made>;

/**
 * Which ways to try. Only `register` allows a high `last-column-id`, but a catalog that supports it merely by the protocol's
 * default may respond with an empty table (SeaweedFS), so there it is not tried unless asked for.
 */
async function routes(catalog: Catalog, via: Entry['create_via']): Promise<readonly Route[]> {
  if (via !== 'auto') return [via];
  return (await catalog.supports('register')) ? ['register', 'commit', 'create'] : ['commit', 'create'];
}

const makeVia: Readonly<Record<Route, Make>> = {
  async register({ catalog, store, nowMs }, identifier, table) {
    if (!isLocated(table)) return unlocated;
    const { uri, metadata } = metadataFile(table, nowMs);
    await store.write(uri, new TextEncoder().encode(stringifyJson(metadata)), { ifAbsent: true });
    const answer = await refusable(() => catalog.register(identifier, uri));
    if (answer === 'exists') return { table: await other(catalog, identifier) };
    return 'refusal' in answer ? answer : own(identifier, table, answer.table, 'register');
  },

  async commit({ catalog }, identifier, table) {
    if (!isLocated(table)) return unlocated;
    const result = await catalog.commit(identifier, creationCommit(table));
    switch (result.outcome) {
      case 'landed':
        return own(identifier, table, result.table, 'commit');
      case 'refused':
        if (result.reason === 'throttled') throw throttled(identifier, result.message);
        if (result.reason !== 'conflict') return { refusal: result.message };
        return { table: await other(catalog, identifier) };
      case 'unknown': {
        const loaded = await catalog.load(identifier);
        if (loaded !== undefined) return { table: loaded };
        throw new RegistrarError(
          'catalog.commit_unknown',
          `Cannot tell whether table "${formatIdentifier(identifier)}" was created: ${result.message}; the messages are delivered again`,
        );
      }
    }
  },

  async create({ catalog }, identifier, table) {
    const answer = await refusable(() => catalog.create(identifier, table));
    return answer === 'exists' ? { table: await other(catalog, identifier) } : answer;
  },
};

const unlocated: Made = { refusal: 'a table whose location the catalog chooses is made by a create request' };

/** The catalog throttles: nothing was done, and other ways would be throttled too. */
function throttled(identifier: TableIdentifier, message: string): RegistrarError {
  return new RegistrarError(
    'catalog.unavailable',
    `Cannot create table "${formatIdentifier(identifier)}": the catalog asks to slow down: ${message}; the messages are delivered again`,
  );
}

function isLocated(table: NewTable): table is LocatedTable {
  return table.location !== undefined;
}

/** Turns a definite refusal into a value, so that the other ways can be tried. */
async function refusable(make: () => Promise<LoadedTable | 'exists'>): Promise<'exists' | Made> {
  try {
    const answer = await make();
    return answer === 'exists' ? answer : { table: answer };
  } catch (error) {
    if (!(error instanceof RegistrarError) || error.code !== 'catalog.refused') throw error;
    return { refusal: error.message };
  }
}

function own(identifier: TableIdentifier, table: NewTable, loaded: LoadedTable, route: Route): Made {
  const { uuid } = readTableMetadata(identifier, loaded);
  if (uuid === table.uuid) return { table: loaded };
  throw refused(
    identifier,
    `the catalog answered ${route} with another table, UUID "${uuid}" instead of "${table.uuid}"; set create_via to another way`,
  );
}

async function other(catalog: Catalog, identifier: TableIdentifier): Promise<LoadedTable> {
  const loaded = await catalog.load(identifier);
  if (loaded !== undefined) return loaded;
  throw refused(
    identifier,
    'the catalog first says that it exists and then that it does not; it may be a view',
  );
}

/** Gives a table that the catalog created with its own field IDs those of the dataset, before it has any data. */
async function finish(
  catalog: Catalog,
  settings: NewTableSettings,
  identifier: TableIdentifier,
  begun: LoadedTable,
): Promise<LoadedTable> {
  let loaded = begun;
  for (let attempt = 1; attempt <= MAX_FINISHING_ATTEMPTS; attempt++) {
    const state = readTableMetadata(identifier, loaded);
    if (!isHalfMade(state, settings.location)) return loaded;
    const result = await catalog.commit(identifier, finishingCommit(state, settings));
    if (result.outcome === 'landed') return finished(identifier, settings, result.table);
    if (result.outcome === 'refused' && result.reason === 'throttled')
      throw throttled(identifier, result.message);
    if (result.outcome === 'refused' && result.reason !== 'conflict')
      throw refused(identifier, result.message);
    loaded = await other(catalog, identifier);
  }
  throw refused(
    identifier,
    `another writer changed it during each of ${MAX_FINISHING_ATTEMPTS} attempts to finish it`,
  );
}

function finished(
  identifier: TableIdentifier,
  { location }: NewTableSettings,
  loaded: LoadedTable,
): LoadedTable {
  const wrong = differences(readTableMetadata(identifier, loaded), location);
  if (wrong.length === 0) return loaded;
  throw refused(
    identifier,
    `the catalog does not keep the field IDs it was sent: ${wrong.join(', ')}; no segment can be read there, use another catalog`,
  );
}

function refused(identifier: TableIdentifier, what: string): RegistrarError {
  return new RegistrarError(
    'catalog.refused',
    `Cannot create table "${formatIdentifier(identifier)}": ${what}`,
    { context: { table: formatIdentifier(identifier) } },
  );
}
