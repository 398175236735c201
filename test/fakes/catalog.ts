import type { Catalog, Clock, CommitResult, LoadedTable, Random } from '../../lib/ports.ts';
import { parseJson, stringifyJson } from '../../lib/spec/json.ts';
import type { JsonObject } from '../../lib/spec/json-object.ts';
import type { TableIdentifier } from '../../lib/spec/table-identifier.ts';
import type { TableCommit } from '../../lib/spec/table-update.ts';
import { CatalogError } from '../../local/catalog/catalog-error.ts';
import { type CatalogTable, openTables, type Tables } from '../../local/catalog/tables.ts';
import { refusedCommit, refusedCreation } from './catalog-refusal.ts';
import type { FakeStore } from './store.ts';

/**
 * What becomes of one commit: `conflict` and `invalid` refuse it, `lost` loses the request, `answer lost` loses the answer
 * of a commit that took effect, `late` loses the answer and has the effect when `landLate` is called.
 */
export type CommitFate = 'normal' | 'conflict' | 'invalid' | 'lost' | 'answer lost' | 'late';

export interface CatalogCall {
  readonly operation: 'load' | 'createNamespace' | 'register' | 'create' | 'commit';
  readonly table?: TableIdentifier;
  readonly commit?: TableCommit;
}

export interface FakeCatalog extends Catalog {
  /** The tables behind it: what another writer does, and what a test looks at. */
  readonly tables: Tables;
  /** Every call so far, to count requests. */
  readonly calls: CatalogCall[];
  /** Runs before each call; what it throws is the call's failure, what it does to `tables` comes first. */
  onCall: (call: CatalogCall) => void | Promise<void>;
  /** The fates of the next commits, in order; when none is left commits are normal. */
  readonly fates: CommitFate[];
  /** Lands the oldest commit whose fate was `late`; answers what the catalog would have. */
  landLate(): Promise<CommitResult>;
  /** Endpoints that the catalog says it does not have. */
  readonly unsupported: Set<'register' | 'commit' | 'create'>;
}

/** The embedded stack's catalog without HTTP between; its metadata files lie in the store, uncounted. */
export function fakeCatalog(store: FakeStore, clock: Clock, random: Random): FakeCatalog {
  const tables = openTables({
    database: ':memory:',
    warehouse: 's3://lake/warehouse',
    files: {
      read: async (uri) => store.objects.get(uri)?.bytes,
      write: async (uri, bytes) => {
        store.upload(uri, bytes);
      },
    },
    now: clock.now,
    uuid: random.uuid,
  });
  const late: (() => Promise<CommitResult>)[] = [];

  async function called(call: CatalogCall): Promise<void> {
    catalog.calls.push(call);
    await catalog.onCall(call);
  }

  async function commit(table: TableIdentifier, request: TableCommit): Promise<CommitResult> {
    try {
      const committed = await tables.commit(table, throughJson(request) as JsonObject);
      return { outcome: 'landed', table: loadedTable(committed) };
    } catch (error) {
      return refusedCommit(error);
    }
  }

  const catalog: FakeCatalog = {
    tables,
    calls: [],
    fates: [],
    unsupported: new Set(),
    onCall: () => undefined,
    landLate: async () => (await late.shift()?.()) ?? { outcome: 'unknown', message: 'no commit is late' },

    async load(table) {
      await called({ operation: 'load', table });
      try {
        return loadedTable(tables.load(table));
      } catch (error) {
        if (error instanceof CatalogError && error.status === 404) return undefined;
        throw error;
      }
    },
    async createNamespace(namespace) {
      await called({ operation: 'createNamespace' });
      for (let depth = 1; depth <= namespace.length; depth += 1) {
        await existing(async () => tables.createNamespace(namespace.slice(0, depth), {}));
      }
    },
    async register(table, metadataLocation) {
      await called({ operation: 'register', table });
      return await existing(async () => loadedTable(await tables.register(table, metadataLocation)));
    },
    async create(table, { schema, spec, location, formatVersion, properties }) {
      await called({ operation: 'create', table });
      const request = {
        name: table.name,
        schema,
        'partition-spec': spec,
        ...(location !== undefined && { location }),
        properties: { ...properties, 'format-version': String(formatVersion) },
      };
      return await existing(async () =>
        loadedTable(await tables.create(table.namespace, throughJson(request) as JsonObject)),
      );
    },
    async commit(table, request) {
      await called({ operation: 'commit', table, commit: request });
      switch (catalog.fates.shift()) {
        case 'conflict':
          return { outcome: 'refused', reason: 'conflict', message: '409 CommitFailedException: scripted' };
        case 'invalid':
          return { outcome: 'refused', reason: 'invalid', message: '400 BadRequestException: scripted' };
        case 'lost':
          return { outcome: 'unknown', message: 'no complete answer: scripted, nothing arrived' };
        case 'answer lost':
          await commit(table, request);
          return { outcome: 'unknown', message: '504: scripted' };
        case 'late':
          late.push(() => commit(table, request));
          return { outcome: 'unknown', message: 'no complete answer: scripted, it lands later' };
        default:
          return await commit(table, request);
      }
    },
    supports: async (endpoint) => !catalog.unsupported.has(endpoint),
  };
  return catalog;
}

/** Nothing of the caller's lives on in the catalog, and 64-bit numbers arrive as they do over HTTP. */
function throughJson(value: unknown): unknown {
  return parseJson(stringifyJson(value));
}

function loadedTable({ metadataLocation, metadata }: CatalogTable): LoadedTable {
  return { metadataLocation: metadataLocation ?? undefined, metadata, config: {} };
}

async function existing<T>(act: () => Promise<T>): Promise<T | 'exists'> {
  try {
    return await act();
  } catch (error) {
    return refusedCreation(error);
  }
}
