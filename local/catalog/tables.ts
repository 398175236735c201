import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import { parseJson, stringifyJson } from '../../lib/spec/json.ts';
import type { JsonObject } from '../../lib/spec/json-object.ts';
import { metadataDirectory } from '../../lib/spec/metadata-directory.ts';
import { formatIdentifier, type TableIdentifier } from '../../lib/spec/table-identifier.ts';
import {
  alreadyExists,
  badRequest,
  CatalogError,
  commitFailed,
  noSuchNamespace,
  noSuchTable,
} from './catalog-error.ts';
import { applyCommit, applyCreation, type CommitRequest, isCreation } from './commit.ts';
import { createMetadata } from './create-table.ts';
import { readText } from './request-fields.ts';
import { readMetadata, type TableMetadata, writableMetadata } from './table-metadata.ts';

/** The store of metadata files. URIs are `s3://bucket/key`. */
export interface MetadataFiles {
  read(uri: string): Promise<Uint8Array | undefined>;
  write(uri: string, bytes: Uint8Array): Promise<void>;
}

export interface CatalogTable {
  /** Null for a staged table, which is not saved. */
  readonly metadataLocation: string | null;
  readonly metadata: TableMetadata;
}

/** Namespaces and tables in SQLite, metadata in files: each commit writes a new file, and none is ever deleted. Everything throws `CatalogError`. */
export interface Tables {
  createNamespace(levels: readonly string[], properties: Readonly<Record<string, string>>): void;
  /** The children of a namespace, or the top-level namespaces. */
  namespaces(parent: readonly string[]): readonly (readonly string[])[];
  namespaceProperties(levels: readonly string[]): Readonly<Record<string, string>>;
  setNamespaceProperties(levels: readonly string[], properties: Readonly<Record<string, string>>): void;
  dropNamespace(levels: readonly string[]): void;
  list(namespace: readonly string[]): readonly string[];
  load(table: TableIdentifier): CatalogTable;
  /** Assigns new field IDs. With `stage-create` it returns metadata and saves nothing. */
  create(namespace: readonly string[], request: JsonObject): Promise<CatalogTable>;
  /** Registers an existing metadata file unchanged. */
  register(table: TableIdentifier, metadataLocation: string): Promise<CatalogTable>;
  /** Atomic: of concurrent commits on one base, one succeeds. As with the JDBC catalog, the metadata files of the others remain. */
  commit(table: TableIdentifier, request: CommitRequest): Promise<CatalogTable>;
  /** Removes the table from the catalog; its files remain. */
  drop(table: TableIdentifier): void;
  rename(from: TableIdentifier, to: TableIdentifier): void;
  close(): void;
}

export function openTables(options: {
  /** A file, or `:memory:`. */
  readonly database: string;
  /** The parent of tables that are created without a location: `s3://bucket/warehouse`. */
  readonly warehouse: string;
  readonly files: MetadataFiles;
  readonly now: () => number;
  readonly uuid: () => string;
}): Tables {
  const { files, now, uuid } = options;
  const database = new DatabaseSync(options.database);
  database.exec(`
    CREATE TABLE IF NOT EXISTS namespaces (levels TEXT PRIMARY KEY, properties TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS tables (
      namespace TEXT NOT NULL, name TEXT NOT NULL, metadata_location TEXT NOT NULL, metadata TEXT NOT NULL,
      PRIMARY KEY (namespace, name));
  `);
  const selectNamespace = database.prepare('SELECT properties FROM namespaces WHERE levels = ?');
  const selectTable = database.prepare(
    'SELECT metadata_location, metadata FROM tables WHERE namespace = ? AND name = ?',
  );
  const insertTable = database.prepare('INSERT OR IGNORE INTO tables VALUES (?, ?, ?, ?)');
  const swapTable = database.prepare(
    'UPDATE tables SET metadata_location = ?, metadata = ? WHERE namespace = ? AND name = ? AND metadata_location = ?',
  );

  const namespaceProperties = (levels: readonly string[]): Readonly<Record<string, string>> => {
    const row = selectNamespace.get(joined(levels));
    if (!row) throw noSuchNamespace(levels.join('.'));
    return JSON.parse(String(row['properties'])) as Record<string, string>;
  };
  const find = (
    table: TableIdentifier,
  ): (CatalogTable & { readonly metadataLocation: string }) | undefined => {
    const row = selectTable.get(joined(table.namespace), table.name);
    if (!row) return undefined;
    const metadata = parseJson(String(row['metadata'])) as TableMetadata;
    return { metadataLocation: String(row['metadata_location']), metadata };
  };
  const load: Tables['load'] = (table) => {
    const found = find(table);
    if (!found) throw noSuchTable(formatIdentifier(table));
    return found;
  };
  const writeMetadata = async (metadata: TableMetadata, previous: string | undefined): Promise<string> => {
    const version = String(versionOf(previous) + 1).padStart(5, '0');
    const location = `${metadataDirectory(metadata)}/${version}-${uuid()}.metadata.json`;
    await files.write(location, Buffer.from(stringifyJson(writableMetadata(metadata))));
    return location;
  };
  const insert = (table: TableIdentifier, metadataLocation: string, metadata: TableMetadata): boolean =>
    insertTable.run(joined(table.namespace), table.name, metadataLocation, stringifyJson(metadata))
      .changes === 1;

  return {
    createNamespace(levels, properties) {
      const result = database
        .prepare('INSERT OR IGNORE INTO namespaces VALUES (?, ?)')
        .run(joined(levels), JSON.stringify(properties));
      if (result.changes === 0) throw alreadyExists(`Namespace already exists: ${levels.join('.')}`);
    },
    namespaces(parent) {
      if (parent.length > 0) namespaceProperties(parent);
      const rows = database.prepare('SELECT levels FROM namespaces ORDER BY levels').all();
      const all = rows.map((row) => String(row['levels']).split(levelSeparator));
      return all.filter(
        (levels) => levels.length === parent.length + 1 && parent.every((level, i) => levels[i] === level),
      );
    },
    namespaceProperties,
    setNamespaceProperties(levels, properties) {
      namespaceProperties(levels);
      database
        .prepare('UPDATE namespaces SET properties = ? WHERE levels = ?')
        .run(JSON.stringify(properties), joined(levels));
    },
    dropNamespace(levels) {
      namespaceProperties(levels);
      const inside = database
        .prepare(
          'SELECT 1 FROM tables WHERE namespace = ?1 UNION SELECT 1 FROM namespaces WHERE substr(levels, 1, length(?2)) = ?2',
        )
        .get(joined(levels), joined([...levels, '']));
      if (inside) {
        throw new CatalogError(
          409,
          'NamespaceNotEmptyException',
          `Namespace ${levels.join('.')} is not empty`,
        );
      }
      database.prepare('DELETE FROM namespaces WHERE levels = ?').run(joined(levels));
    },
    list(namespace) {
      namespaceProperties(namespace);
      const rows = database
        .prepare('SELECT name FROM tables WHERE namespace = ? ORDER BY name')
        .all(joined(namespace));
      return rows.map((row) => String(row['name']));
    },
    load,
    async create(namespace, request) {
      const { location: namespaceLocation } = namespaceProperties(namespace);
      const table = { namespace, name: readText(request, 'name') };
      if (find(table)) throw alreadyExists(`Table already exists: ${formatIdentifier(table)}`);
      const folder = namespaceLocation ?? [options.warehouse, ...namespace].join('/');
      const location =
        typeof request['location'] === 'string' ? request['location'] : `${folder}/${table.name}`;
      const metadata = createMetadata(request, { location, nowMs: now(), uuid: uuid() });
      if (request['stage-create'] === true) return { metadataLocation: null, metadata };
      const metadataLocation = await writeMetadata(metadata, undefined);
      if (!insert(table, metadataLocation, metadata))
        throw alreadyExists(`Table already exists: ${formatIdentifier(table)}`);
      return { metadataLocation, metadata };
    },
    async register(table, metadataLocation) {
      namespaceProperties(table.namespace);
      const bytes = await files.read(metadataLocation);
      if (!bytes) throw badRequest(`Cannot register table: no metadata file at "${metadataLocation}"`);
      const text = metadataLocation.endsWith('.gz.metadata.json') ? gunzipSync(bytes) : Buffer.from(bytes);
      const metadata = readMetadata(parseJson(text.toString()));
      if (!insert(table, metadataLocation, metadata))
        throw alreadyExists(`Table already exists: ${formatIdentifier(table)}`);
      return { metadataLocation, metadata };
    },
    async commit(table, request) {
      const base = find(table);
      if (isCreation(request)) {
        namespaceProperties(table.namespace);
        if (base) throw commitFailed(`Requirement failed: table already exists: ${formatIdentifier(table)}`);
        const metadata = applyCreation(request, { nowMs: now(), uuid: uuid() });
        const metadataLocation = await writeMetadata(metadata, undefined);
        if (!insert(table, metadataLocation, metadata)) {
          throw commitFailed(`Table was created concurrently: ${formatIdentifier(table)}`);
        }
        return { metadataLocation, metadata };
      }
      if (!base) throw noSuchTable(formatIdentifier(table));
      const metadata = applyCommit(base.metadata, request, {
        nowMs: now(),
        previousLocation: base.metadataLocation,
      });
      if (metadata === base.metadata) return base;
      const metadataLocation = await writeMetadata(metadata, base.metadataLocation);
      const swapped = swapTable.run(
        metadataLocation,
        stringifyJson(metadata),
        joined(table.namespace),
        table.name,
        base.metadataLocation,
      );
      if (swapped.changes === 0)
        throw commitFailed(`Table ${formatIdentifier(table)} has been changed concurrently`);
      return { metadataLocation, metadata };
    },
    drop(table) {
      const dropped = database
        .prepare('DELETE FROM tables WHERE namespace = ? AND name = ?')
        .run(joined(table.namespace), table.name);
      if (dropped.changes === 0) throw noSuchTable(formatIdentifier(table));
    },
    rename(from, to) {
      load(from);
      namespaceProperties(to.namespace);
      if (find(to)) throw alreadyExists(`Table already exists: ${formatIdentifier(to)}`);
      database
        .prepare('UPDATE tables SET namespace = ?, name = ? WHERE namespace = ? AND name = ?')
        .run(joined(to.namespace), to.name, joined(from.namespace), from.name);
    },
    close: () => database.close(),
  };
}

/** Levels may contain dots, so the REST specification joins them with the unit separator. */
export const levelSeparator = '\u001f';

function joined(levels: readonly string[]): string {
  return levels.join(levelSeparator);
}

/** 12 for `00012-<uuid>.metadata.json`, and like Iceberg itself -1 for other names such as `v1.metadata.json`. */
function versionOf(location: string | undefined): number {
  const match = /(?:^|\/)(\d+)-[^/]*$/.exec(location ?? '');
  return match ? Number(match[1]) : -1;
}
