import type { Catalog, LoadedTable, Random, Store } from '../../ports.ts';
import { parseJson } from '../../spec/json.ts';
import { highestFieldId } from '../../spec/schema.ts';
import { formatIdentifier, type TableIdentifier } from '../../spec/table-identifier.ts';
import type { TableCommit } from '../../spec/table-update.ts';
import type { EntryPorts } from '../register/register-ports.ts';
import { applied, type Metadata, noTable } from './planned-metadata.ts';

/** A table for which something was sent. */
export interface ChangedTable {
  readonly identifier: TableIdentifier;
  /** The table as the plan created it; undefined if it existed before. */
  readonly created: LoadedTable | undefined;
  readonly commits: readonly TableCommit[];
  /** The table after the planned commits, without their snapshots. */
  readonly after: LoadedTable;
}

/** The services of an entry, with everything that is written kept in memory. */
export interface PlannedWorld {
  readonly ports: EntryPorts;
  readonly tables: ReadonlyMap<string, ChangedTable>;
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** Stands for the location of a table when the catalog chooses it. */
const CHOSEN = '(where the catalog puts it)';

/** Wraps services so that reads are real and no write leaves this process; each write is answered as if it had landed. */
export function plannedWorld(
  { store, tableStore = store, catalog, quarantine }: EntryPorts,
  random: Pick<Random, 'uuid'>,
): PlannedWorld {
  const tables = new Map<string, ChangedTable>();
  const files = new Map<string, Uint8Array>();

  const load: Catalog['load'] = async (identifier) =>
    tables.get(formatIdentifier(identifier))?.after ?? (await catalog.load(identifier));
  const write: Store['write'] = async (uri, bytes) => {
    files.set(uri, bytes);
    return { kind: 'written', version: '' };
  };
  const made = (identifier: TableIdentifier, metadata: Metadata, metadataLocation?: string): LoadedTable => {
    const created = { metadataLocation, metadata, config: {} };
    tables.set(formatIdentifier(identifier), { identifier, created, commits: [], after: created });
    return created;
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
          return made(identifier, parseJson(text) as Metadata, metadataLocation);
        },
        async create(identifier, { schema, spec, formatVersion, properties, location = CHOSEN }) {
          const updates = [
            { action: 'assign-uuid', uuid: random.uuid() },
            { action: 'upgrade-format-version', 'format-version': formatVersion },
            { action: 'set-location', location },
            { action: 'add-schema', schema, 'last-column-id': highestFieldId(schema) },
            { action: 'set-current-schema', 'schema-id': -1 },
            { action: 'add-spec', spec },
            { action: 'set-default-spec', 'spec-id': -1 },
            { action: 'set-properties', updates: properties },
          ] as const;
          return made(identifier, applied(noTable, updates));
        },
        async commit(identifier, commit) {
          const { requirements, updates } = commit;
          const creates = requirements.some(({ type }) => type === 'assert-create');
          const before = creates ? made(identifier, applied(noTable, updates)) : await load(identifier);
          if (before === undefined)
            return { outcome: 'refused', reason: 'missing', message: 'no such table' };
          const name = formatIdentifier(identifier);
          const { created, commits = [] } = tables.get(name) ?? {};
          const { metadataLocation, metadata, config } = before;
          const after = creates ? before : { metadataLocation, metadata: applied(metadata, updates), config };
          tables.set(name, { identifier, created, commits: [...commits, commit], after });
          return { outcome: 'landed', table: after };
        },
      },
      quarantine: { ...quarantine, put: async () => '' },
    },
  };
}
