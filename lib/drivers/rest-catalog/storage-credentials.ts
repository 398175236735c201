import { plainSpelling } from '../../spec/object-uri.ts';
import { isRecord } from './outcome.ts';
import type { TableAnswer } from './table-answer.ts';

/** What a catalog hands out for the files below a prefix: Java's property names, `s3.access-key-id` and the like. */
export interface StorageCredential {
  readonly prefix: string;
  readonly config: Readonly<Record<string, string>>;
}

/**
 * The credentials in the answer to a load: `storage-credentials`, and what `config` holds for the table's own location. Those without a
 * key are none.
 */
export function storageCredentials({
  storageCredentials: given,
  location,
  table: { config },
}: TableAnswer): readonly StorageCredential[] {
  const listed = Array.isArray(given) ? given.map(credential) : [];
  return [...listed, { prefix: location === undefined ? '' : `${location}/`, config }]
    .filter(({ prefix, config: own }) => prefix !== '' && own['s3.access-key-id'] !== undefined)
    .map(({ prefix, config: own }) => ({ prefix: plainSpelling(prefix), config: { ...config, ...own } }));
}

/** The credential with the longest prefix of a URI (`rest-catalog-open-api.yaml`, `StorageCredential`). */
export function credentialFor(
  credentials: readonly StorageCredential[],
  uri: string,
): StorageCredential | undefined {
  return credentials
    .filter(({ prefix }) => plainSpelling(uri).startsWith(prefix))
    .reduce<StorageCredential | undefined>(
      (longest, one) => (longest === undefined || one.prefix.length > longest.prefix.length ? one : longest),
      undefined,
    );
}

/** When a credential ends; undefined where the catalog does not say. */
export function expiryMs({ config }: StorageCredential): number | undefined {
  const ms = Number(config['s3.session-token-expires-at-ms'] ?? Number.NaN);
  return Number.isNaN(ms) ? undefined : ms;
}

function credential(value: unknown): StorageCredential {
  const prefix = isRecord(value) ? value['prefix'] : undefined;
  const config = isRecord(value) && isRecord(value['config']) ? value['config'] : {};
  return {
    prefix: typeof prefix === 'string' ? prefix : '',
    config: config as Readonly<Record<string, string>>,
  };
}
