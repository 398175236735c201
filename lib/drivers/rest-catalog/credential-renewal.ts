import { keepLast } from '../../memo.ts';
import type { Clock } from '../../ports.ts';
import { expiryMs, type StorageCredential } from './storage-credentials.ts';
import type { TableMemory } from './table-memory.ts';

/** How long before it expires a vended credential is renewed. */
const LEAD_MS = 5 * 60_000;
/** The same where the catalog has given the same credential again: it keeps them, and asking for each object changes nothing. */
const LAST_LEAD_MS = 30_000;
const MOST_TABLES = 1_000;

/**
 * Finds the credential for a file among those that tables were loaded with, and loads the table anew before it expires: once for everybody
 * who waits.
 *
 * @param load loads the table of this path, with credentials
 */
export function credentialRenewal(
  remembered: Pick<TableMemory, 'credentialFor'>,
  load: (path: string, attempted: string) => Promise<unknown>,
  clock: Clock,
) {
  /** By table: when the credentials expire that the catalog gave a second time. */
  const givenAgain = new Map<string, number>();
  const pending = new Map<string, Promise<unknown>>();

  function renewed(path: string, attempted: string): Promise<unknown> {
    const renewal = pending.get(path) ?? load(path, attempted).finally(() => pending.delete(path));
    pending.set(path, renewal);
    return renewal;
  }

  return async (uri: string, renew: boolean): Promise<StorageCredential | undefined> => {
    const found = remembered.credentialFor(uri);
    if (found === undefined) return undefined;
    const endsAtMs = expiryMs(found.credential) ?? Number.POSITIVE_INFINITY;
    const leadMs = givenAgain.get(found.path) === endsAtMs ? LAST_LEAD_MS : LEAD_MS;
    if (!renew && clock.now() < endsAtMs - leadMs) return found.credential;
    await renewed(found.path, `renew the credentials for "${uri}"`);
    const credential = remembered.credentialFor(uri)?.credential;
    if (credential !== undefined && expiryMs(credential) === endsAtMs)
      keepLast(givenAgain, found.path, endsAtMs, MOST_TABLES);
    return credential;
  };
}
