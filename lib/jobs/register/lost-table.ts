import type { Log, Store } from '../../ports.ts';
import { metadataDirectory } from '../../spec/metadata-directory.ts';
import { metadataVersion } from '../../spec/metadata-file.ts';
import { formatIdentifier } from '../../spec/table-identifier.ts';
import type { TableState } from '../../spec/table-state.ts';
import { commitsLostSince } from '../lost-commits.ts';
import type { CachedTable } from './table-cache.ts';

/**
 * The newest metadata file, at this location, of a table that has had a commit; undefined when there is none. If such a file
 * exists and the catalog does not know the table, the catalog has lost it (docs/maintenance.md). A second table at the same
 * location would not know what the first one has registered.
 *
 * @throws `store.unavailable`, `auth.failed`
 */
export async function newestMetadata(
  store: Pick<Store, 'list'>,
  location: string,
  properties: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  let newest: { readonly uri: string; readonly version: number } | undefined;
  for await (const { uri } of store.list(`${metadataDirectory({ location, properties })}/`)) {
    // Version 0 is a creation, without data.
    const version = metadataVersion(uri) ?? 0;
    if (version > (newest?.version ?? 0)) newest = { uri, version };
  }
  return newest?.uri;
}

/** Logs commits that a warm container remembers and a restored catalog no longer has. */
export function tellOfLost(cached: CachedTable | undefined, now: TableState, branch: string, log: Log): void {
  const lost = cached && commitsLostSince(cached.state, now, branch);
  if (lost === undefined) return;
  log.error({ event: 'commits-lost', table: formatIdentifier(now.identifier), ...lost });
}
