import { isObject } from '../../spec/json-object.ts';
import { plainSpelling } from '../../spec/object-uri.ts';
import type { TableAnswer } from './table-answer.ts';

/** A vended credential for the files below a prefix, with Java's property names: `s3.access-key-id`, `gcs.oauth2.token` and so on. */
export interface StorageCredential {
  readonly prefix: string;
  readonly config: Readonly<Record<string, string>>;
}

/**
 * The credentials in the answer to a load: `storage-credentials`, and those in `config` for the table's own location. One that lacks the key
 * or its secret is ignored, since the function's own would complete it.
 */
export function storageCredentials({
  storageCredentials: given,
  location,
  table: { config },
}: TableAnswer): readonly StorageCredential[] {
  const listed = Array.isArray(given) ? given.map(credential) : [];
  return [...listed, { prefix: location === undefined ? '' : `${location}/`, config }]
    .map(({ prefix, config: own }) => ({ prefix: plainSpelling(prefix), config: own }))
    .filter(({ prefix, config: own }) => prefix !== '' && keysAt(prefix).every((key) => Boolean(own[key])))
    .map(({ prefix, config: own }) => ({ prefix, config: { ...config, ...own } }));
}

/** The properties of Google's (`GCPProperties`) and Amazon's (`S3FileIOProperties`) credentials. */
function keysAt(prefix: string): readonly string[] {
  return isGoogles(prefix) ? ['gcs.oauth2.token'] : ['s3.access-key-id', 's3.secret-access-key'];
}

/** Java's prefixes for everything in a cloud are `gs` and `s3`, without the rest of the scheme (`GCSFileIO`, `S3FileIO`). */
export function isGoogles(prefix: string): boolean {
  return prefix.startsWith('gs');
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

/** When a credential expires; undefined if the catalog does not say. */
export function expiryMs({ config }: StorageCredential): number | undefined {
  const ends = [config['s3.session-token-expires-at-ms'], config['gcs.oauth2.token-expires-at']];
  const known = ends.map((ms) => Number(ms ?? Number.NaN)).filter((ms) => !Number.isNaN(ms));
  return known.length === 0 ? undefined : Math.min(...known);
}

function credential(value: unknown): StorageCredential {
  const prefix = isObject(value) ? value['prefix'] : undefined;
  const config = isObject(value) && isObject(value['config']) ? value['config'] : {};
  return {
    prefix: typeof prefix === 'string' ? prefix : '',
    // Some catalogs send times as numbers.
    config: Object.fromEntries(Object.entries(config).map(([name, item]) => [name, String(item)])),
  };
}
