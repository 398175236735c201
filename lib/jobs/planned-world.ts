import { RegistrarError } from '../errors.ts';
import type { Catalog, LoadedTable, Store } from '../ports.ts';
import { parseJson } from '../spec/json.ts';
import { formatIdentifier, type TableIdentifier } from '../spec/table-identifier.ts';
import type { TableCommit, TableUpdate } from '../spec/table-update.ts';
import type { EntryPorts } from './register.ts';

/** A table that something was sent for. */
export interface ChangedTable {
  readonly identifier: TableIdentifier;
  /** As it was made here; undefined where it was there. */
  readonly created: LoadedTable | undefined;
  readonly commits: readonly TableCommit[];
  /** After the commits, but for their snapshots. */
  readonly after: LoadedTable;
}

/** The services of an entry, in which everything that is written stays in memory. */
export interface PlannedWorld {
  readonly ports: EntryPorts;
  readonly tables: ReadonlyMap<string, ChangedTable>;
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** Reads are real; no write leaves this process, and each is answered as if it had landed. */
export function plannedWorld({ store, tableStore = store, catalog, quarantine }: EntryPorts): PlannedWorld {
  const tables = new Map<string, ChangedTable>();
  const files = new Map<string, Uint8Array>();

  const load: Catalog['load'] = async (identifier) =>
    tables.get(formatIdentifier(identifier))?.after ?? (await catalog.load(identifier));
  const write: Store['write'] = async (uri, bytes) => {
    files.set(uri, bytes);
    return { kind: 'written', version: '' };
  };
  return {
    tables,
    files,
    ports: {
      store: { ...store, write },
      tableStore: { ...tableStore, write },
      catalog: {
        ...catalog,
        load,
        async createNamespace() {},
        async register(identifier, metadataLocation) {
          const text = Buffer.from(files.get(metadataLocation) ?? []).toString('utf8');
          const metadata = parseJson(text) as LoadedTable['metadata'];
          const created = { metadataLocation, metadata, config: {} };
          tables.set(formatIdentifier(identifier), { identifier, created, commits: [], after: created });
          return created;
        },
        async commit(identifier, commit) {
          const name = formatIdentifier(identifier);
          const before = await load(identifier);
          if (before === undefined)
            return { outcome: 'refused', reason: 'missing', message: 'no such table' };
          const { created, commits = [] } = tables.get(name) ?? {};
          const after = { ...before, metadata: applied(before.metadata, commit.updates) };
          tables.set(name, { identifier, created, commits: [...commits, commit], after });
          return { outcome: 'landed', table: after };
        },
        async create(identifier) {
          throw new RegistrarError(
            'catalog.refused',
            `Cannot plan to create "${formatIdentifier(identifier)}" by a create request: a plan creates by register`,
          );
        },
      },
      quarantine: { ...quarantine, put: async () => '' },
    },
  };
}

type Metadata = LoadedTable['metadata'];

/** What later stages look at in the metadata after a commit: schema, spec and properties. */
function applied(before: Metadata, updates: readonly TableUpdate[]): Metadata {
  const after: Record<string, unknown> = { ...before };
  const append = (key: string, item: unknown) => {
    after[key] = [...(after[key] as readonly unknown[]), item];
  };
  let schemaId: unknown;
  let specId: unknown;
  for (const update of updates) {
    switch (update.action) {
      case 'add-schema':
        append('schemas', update.schema);
        after['last-column-id'] = update['last-column-id'];
        schemaId = update.schema['schema-id'];
        break;
      case 'set-current-schema':
        after['current-schema-id'] = update['schema-id'] === -1 ? schemaId : update['schema-id'];
        break;
      case 'add-spec':
        append('partition-specs', update.spec);
        specId = update.spec['spec-id'];
        break;
      case 'set-default-spec':
        after['default-spec-id'] = update['spec-id'] === -1 ? specId : update['spec-id'];
        break;
      case 'set-properties':
        after['properties'] = { ...(after['properties'] as object), ...update.updates };
        break;
    }
  }
  return after;
}
