import type { LoadedTable } from '../../ports.ts';
import type { Authorization } from './authorization.ts';
import { credentialFor, type StorageCredential } from './storage-credentials.ts';

/** What a catalog gave with a table: the right to ask for it, and to its files. */
export interface TableGrant {
  /** With the token for this table alone, if there is one. */
  readonly authorization: Authorization | undefined;
  readonly credentials: readonly StorageCredential[];
}

interface TaggedTable {
  readonly etag: string;
  readonly table: LoadedTable;
}

/** So many answers are kept to be asked for by their ETag: they are whole tables' metadata. */
const maxTagged = 50;

/** What the last loads answered, by path. */
export function tableMemory() {
  const tagged = new Map<string, TaggedTable>();
  const grants = new Map<string, TableGrant>();
  return {
    tagged: (path: string) => tagged.get(path),
    grant: (path: string) => grants.get(path),
    remember(path: string, table: LoadedTable, etag: string | undefined, grant: TableGrant) {
      grants.set(path, grant);
      tagged.delete(path);
      if (etag !== undefined) tagged.set(path, { etag, table });
      const [oldest] = tagged.keys();
      if (tagged.size > maxTagged && oldest !== undefined) tagged.delete(oldest);
    },
    /**
     * After a commit that did not land the whole table is loaded, whatever a cache on the way takes for unchanged (D5); after one that did,
     * nobody has the table that was tagged any more.
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
