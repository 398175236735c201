import type { LoadedTable } from '../../ports.ts';
import type { Authorization } from './authorization.ts';
import { credentialFor, type StorageCredential } from './storage-credentials.ts';

/** What the last load of a table answered. */
export interface RememberedTable {
  /** The answer itself, where its ETag lets it be asked for again. */
  readonly tagged: { readonly table: LoadedTable; readonly etag: string } | undefined;
  /** With the token that the catalog gave for this table, if it gave one. */
  readonly authorization: Authorization | undefined;
  readonly credentials: readonly StorageCredential[];
}

/** So many tables are remembered: a warm container keeps their metadata in memory. */
const maxTables = 50;

/** The last loads by path, the latest ones only. */
export function tableMemory() {
  const tables = new Map<string, RememberedTable>();
  return {
    get: (path: string) => tables.get(path),
    set(path: string, table: RememberedTable) {
      tables.delete(path);
      tables.set(path, table);
      const [oldest] = tables.keys();
      if (tables.size > maxTables && oldest !== undefined) tables.delete(oldest);
    },
    /** After a commit that did not land the whole table is loaded, whatever a cache on the way takes for unchanged (D5). */
    forgetTag(path: string) {
      const known = tables.get(path);
      if (known !== undefined) tables.set(path, { ...known, tagged: undefined });
    },
    /** The credential with the longest prefix of a URI, and the path of the table it came with. */
    credentialFor(uri: string) {
      const all = [...tables].flatMap(([path, { credentials }]) =>
        credentials.map((one) => ({ ...one, path })),
      );
      const credential = credentialFor(all, uri);
      const path = all.find((one) => one === credential)?.path;
      return credential && path !== undefined ? { path, credential } : undefined;
    },
  };
}
