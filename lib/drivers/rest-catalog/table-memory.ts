import { keepLast } from '../../memo.ts';
import type { LoadedTable } from '../../ports.ts';
import type { Authorization } from './authorization.ts';
import { credentialFor, type StorageCredential } from './storage-credentials.ts';

/** What a catalog vended with a table: access to the table, and to its files. */
export interface TableGrant {
  /** The authorization with the token for this table, if there is one. */
  readonly authorization: Authorization | undefined;
  readonly credentials: readonly StorageCredential[];
}

interface TaggedTable {
  readonly etag: string;
  readonly table: LoadedTable;
}

/** The number of answers kept for requests by ETag. Each holds the whole metadata of a table. */
const MOST_TAGGED = 50;
/** More than a process ever works on at the same time: without its grant a table has to be loaded again. */
const MOST_GRANTS = 1_000;

export type TableMemory = ReturnType<typeof tableMemory>;

/** The answers to the last loads, by path. */
export function tableMemory() {
  const tagged = new Map<string, TaggedTable>();
  const grants = new Map<string, TableGrant>();
  return {
    tagged: (path: string) => tagged.get(path),
    grant(path: string) {
      const grant = grants.get(path);
      if (grant !== undefined) keepLast(grants, path, grant, MOST_GRANTS);
      return grant;
    },
    remember(path: string, table: LoadedTable, etag: string | undefined, grant: TableGrant) {
      keepLast(grants, path, grant, MOST_GRANTS);
      tagged.delete(path);
      if (etag !== undefined) keepLast(tagged, path, { etag, table }, MOST_TAGGED);
    },
    /**
     * Called after every commit. If it did not land, the whole table must be loaded, even if a cache in between considers it unchanged
     * (D5). If it landed, the tagged table is out of date.
     */
    forgetTag(path: string) {
      tagged.delete(path);
    },
    /** The credential with the longest prefix of a URI, and the path of the table it came with. */
    credentialFor(uri: string) {
      const all = [...grants].flatMap(([path, { credentials }]) =>
        credentials.map((one) => ({ ...one, path })),
      );
      const credential = credentialFor(all, uri);
      const path = all.find((one) => one === credential)?.path;
      return credential && path !== undefined ? { path, credential } : undefined;
    },
  };
}
