import { RegistrarError } from '../../lib/errors.ts';
import { onceFor } from '../../lib/memo.ts';
import type { Catalog, CommitResult, LoadedTable } from '../../lib/ports.ts';
import { parseJson, stringifyJson } from '../../lib/spec/json.ts';
import { formatIdentifier, type TableIdentifier } from '../../lib/spec/table-identifier.ts';
import { type HistoryText, scanMetadata } from '../../lib/spec/table-metadata-text.ts';
import type { TableCommit } from '../../lib/spec/table-update.ts';
import { alreadyExists, CatalogError, commitFailed, noSuchTable } from '../../local/catalog/catalog-error.ts';
import { applyCommit, applyCreation, type CommitRequest, isCreation } from '../../local/catalog/commit.ts';
import { createMetadata } from '../../local/catalog/create-table.ts';
import { readMetadata, type TableMetadata } from '../../local/catalog/table-metadata.ts';
import { refusedCommit, refusedCreation } from '../fakes/catalog-refusal.ts';
import type { Io } from './io.ts';
import { type SimStore, unauthorized } from './store.ts';

export interface SimTable {
  readonly metadataLocation: string;
  readonly metadata: TableMetadata;
}

/** A change of a table in the catalog. */
export interface CatalogChange {
  readonly table: TableIdentifier;
  readonly before: SimTable | undefined;
  readonly after: SimTable;
  readonly request: CommitRequest | undefined;
  readonly by: Writer;
}

/** `repair` is the registrar as well, at an operator's command. */
export type Writer = 'registrar' | 'repair' | 'others';

/** The simulated catalog: the rules of the embedded catalog on a Map, without HTTP and metadata files. */
export interface SimCatalog {
  table(identifier: TableIdentifier): SimTable | undefined;
  /** @throws CatalogError as the REST specification defines it */
  commit(identifier: TableIdentifier, request: CommitRequest, by: CatalogChange['by']): SimTable;
  drop(identifier: TableIdentifier): void;
  /** Restores a table to its state this many changes ago, as a backup does. Nobody is notified. */
  restore(identifier: TableIdentifier, changes: number): void;
  port(io: Io, by: Writer): Catalog;
}

export function simCatalog(options: {
  readonly store: SimStore;
  readonly now: () => number;
  readonly uuid: () => string;
  /** The endpoints that the catalog lists; undefined if it lists none. */
  readonly endpoints: readonly ('register' | 'commit' | 'create')[] | undefined;
  readonly changed: (change: CatalogChange) => void;
}): SimCatalog {
  const { store, now, uuid, changed } = options;
  const tables = new Map<string, SimTable>();
  /** Earlier states of each table, latest last: a backup has them, and a cache in front of the catalog may still return them. */
  const earlier = new Map<string, SimTable[]>();
  let files = 0;

  function keep(
    identifier: TableIdentifier,
    metadata: TableMetadata,
    request: CommitRequest | undefined,
    by: CatalogChange['by'],
    location?: string,
  ): SimTable {
    const key = formatIdentifier(identifier);
    files += 1;
    const before = tables.get(key);
    const after = {
      metadata,
      metadataLocation: location ?? `${metadata.location}/metadata/${files}.metadata.json`,
    };
    remember(key);
    tables.set(key, after);
    changed({ table: identifier, before, after, request, by });
    return after;
  }

  function remember(key: string): void {
    const table = tables.get(key);
    if (table !== undefined) earlier.set(key, [...(earlier.get(key) ?? []), table]);
  }

  /** A stale state, as from a cache. Commits do not assert properties, so it is only harmless if its data path is the current one (I11). */
  function staleTable(key: string): SimTable | undefined {
    const table = tables.get(key);
    const stale = earlier.get(key)?.at(-1);
    const dataPath = (of: SimTable | undefined) => of?.metadata.properties['write.data.path'];
    return stale !== undefined && dataPath(stale) === dataPath(table) ? stale : table;
  }

  function commit(identifier: TableIdentifier, request: CommitRequest, by: CatalogChange['by']): SimTable {
    const base = tables.get(formatIdentifier(identifier));
    if (isCreation(request)) {
      if (base !== undefined) throw commitFailed('Requirement failed: table already exists');
      return keep(identifier, applyCreation(request, { nowMs: now(), uuid: uuid() }), request, by);
    }
    if (base === undefined) throw noSuchTable(formatIdentifier(identifier));
    const at = { nowMs: now(), previousLocation: base.metadataLocation };
    const metadata = applyCommit(base.metadata, request, at);
    return metadata === base.metadata ? base : keep(identifier, metadata, request, by);
  }

  function create(identifier: TableIdentifier, make: () => TableMetadata, location?: string): SimTable {
    if (tables.has(formatIdentifier(identifier))) throw alreadyExists(formatIdentifier(identifier));
    return keep(identifier, make(), undefined, 'registrar', location);
  }

  function metadataFile(uri: string): TableMetadata {
    const object = store.objects.get(uri);
    if (object === undefined) throw new CatalogError(400, 'BadRequestException', `no metadata at ${uri}`);
    return readMetadata(parseJson(Buffer.from(object.bytes).toString()));
  }

  return {
    table: (identifier) => tables.get(formatIdentifier(identifier)),
    commit,
    drop(identifier) {
      const key = formatIdentifier(identifier);
      remember(key);
      tables.delete(key);
    },
    restore(identifier, changes) {
      const key = formatIdentifier(identifier);
      const after = earlier.get(key)?.at(-changes);
      const before = tables.get(key);
      if (after === undefined || before?.metadata['table-uuid'] !== after.metadata['table-uuid']) return;
      remember(key);
      tables.set(key, after);
      changed({ table: identifier, before, after, request: undefined, by: 'others' });
    },
    port: (io, by) => ({
      load: (identifier, { known } = {}) =>
        io<LoadedTable | undefined>({
          operation: 'catalog.load',
          about: identifier.name,
          effect: () => loaded(tables.get(formatIdentifier(identifier)), known),
          unanswered: unavailable(`load "${identifier.name}"`),
          answers: {
            stale: () => loaded(staleTable(formatIdentifier(identifier)), known),
            unauthorized,
          },
        }),
      createNamespace: (namespace) =>
        io<void>({
          operation: 'catalog.create',
          about: `namespace ${namespace.join('.')}`,
          effect: () => undefined,
          unanswered: unavailable(`create namespace "${namespace.join('.')}"`),
        }),
      register: (identifier, location) =>
        io<LoadedTable | 'exists'>({
          operation: 'catalog.create',
          about: `register ${identifier.name}`,
          effect: () => existing(() => create(identifier, () => metadataFile(location), location)),
          unanswered: unavailable(`register "${identifier.name}"`),
        }),
      create: (identifier, { formatVersion, ...wanted }) =>
        io<LoadedTable | 'exists'>({
          operation: 'catalog.create',
          about: `create ${identifier.name}`,
          effect: () => {
            const { schema, spec, properties, location = `s3://lake/warehouse/${identifier.name}` } = wanted;
            const request = {
              name: identifier.name,
              schema,
              'partition-spec': spec,
              properties: { ...properties, 'format-version': String(formatVersion) },
            };
            const at = { location, nowMs: now(), uuid: uuid() };
            return existing(() => create(identifier, () => createMetadata(request, at)));
          },
          unanswered: unavailable(`create "${identifier.name}"`),
        }),
      commit: (identifier, request, { known } = {}) =>
        io<CommitResult>({
          operation: 'catalog.commit',
          about: identifier.name,
          effect: () => answered(() => commit(identifier, wire(request), by), known),
          unanswered: (why) => ({ outcome: 'unknown', message: why }),
          answers: {
            unavailable: () => unavailable(`commit to "${identifier.name}"`)('503'),
            unauthorized,
            conflict: () => refusal('conflict'),
            'conflict after': (effect) => afterwards(effect, 'conflict'),
            invalid: () => refusal('invalid'),
            'invalid after': (effect) => afterwards(effect, 'invalid'),
            throttled: () => ({ ...refusal('throttled'), retryAfterMs: RETRY_AFTER_MS }),
          },
        }),
      supports: async (endpoint) => options.endpoints?.includes(endpoint),
    }),
  };
}

/** The request as the catalog reads it. Both types have the same JSON form. */
function wire(request: TableCommit): CommitRequest {
  return request as unknown as CommitRequest;
}

function loaded(table: SimTable, known?: HistoryText): LoadedTable;
function loaded(table: SimTable | undefined, known?: HistoryText): LoadedTable | undefined;
function loaded(table: SimTable | undefined, known?: HistoryText): LoadedTable | undefined {
  return table === undefined
    ? undefined
    : {
        metadataLocation: table.metadataLocation,
        metadata: table.metadata,
        metadataText:
          known === undefined ? textOf(table.metadata) : scanMetadata(jsonOf(table.metadata), 0, known),
        config: {},
      };
}

const jsonOf = onceFor((metadata: TableMetadata) => Buffer.from(stringifyJson(metadata)));
const textOf = onceFor((metadata: TableMetadata) => scanMetadata(jsonOf(metadata), 0));

/** @param known the history that the registrar already has; the answer is read on from there */
function answered(act: () => SimTable, known: HistoryText | undefined): CommitResult {
  try {
    return { outcome: 'landed', table: loaded(act(), known) };
  } catch (error) {
    return refusedCommit(error);
  }
}

/** The Retry-After of a throttling catalog. */
const RETRY_AFTER_MS = 7_000;

function refusal(reason: 'conflict' | 'invalid' | 'throttled'): CommitResult & { outcome: 'refused' } {
  return { outcome: 'refused', reason, message: 'says the schedule' };
}

/** A proxy sent the request twice. The first one took effect, and the answer to the second is returned (cases.md D3). */
function afterwards(effect: () => CommitResult, reason: 'conflict' | 'invalid'): CommitResult {
  effect();
  return refusal(reason);
}

function existing(act: () => SimTable): LoadedTable | 'exists' {
  try {
    return loaded(act());
  } catch (error) {
    return refusedCreation(error);
  }
}

function unavailable(what: string): (why: string) => never {
  return (why) => {
    throw new RegistrarError('catalog.unavailable', `Cannot ${what}: ${why}`);
  };
}
