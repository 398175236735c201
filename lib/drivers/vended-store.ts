import type { StoreSettings } from '../config/entry.ts';
import { RegistrarError } from '../errors.ts';
import type { Store } from '../ports.ts';
import { isPlainHttp } from '../spec/object-uri.ts';
import type { RestCatalog } from './rest-catalog/rest-catalog.ts';
import { isGoogles, type StorageCredential } from './rest-catalog/storage-credentials.ts';

/** `googleToken` is sent to Cloud Storage instead of the function's own token, which is never used with settings from a catalog. */
export type MakeStore = (settings: StoreSettings, googleToken?: string) => Store;

/**
 * The store for a table's own files, with the credentials that its catalog vends: the one with the longest prefix of a URI, renewed before
 * it expires or when it is refused. A URI that no credential covers goes to `own`.
 *
 * @param settings those of `own`, whose endpoint, region and path style take precedence over the catalog's
 */
export function vendedStore(
  own: Store,
  settings: StoreSettings,
  credentialFor: RestCatalog['credentialFor'],
  makeStore: MakeStore,
): Store {
  const made = new WeakMap<StorageCredential['config'], Store>();

  function storeOf({ prefix, config }: StorageCredential): Store {
    const known = made.get(config);
    if (known !== undefined) return known;
    const store = isGoogles(prefix)
      ? makeStore(googleSettings(settings, config), config['gcs.oauth2.token'] ?? '')
      : makeStore(amazonSettings(settings, config));
    made.set(config, store);
    return store;
  }

  async function call<Answer>(uri: string, use: (store: Store) => Promise<Answer>): Promise<Answer> {
    const credential = await credentialFor(uri);
    if (credential === undefined) return use(own);
    try {
      return await use(storeOf(credential));
    } catch (error) {
      if (!(error instanceof RegistrarError) || error.code !== 'auth.failed') throw error;
      const renewed = await credentialFor(uri, { renew: true });
      if (renewed === undefined) throw error;
      return use(storeOf(renewed));
    }
  }

  return {
    read: (uri, options) => call(uri, (store) => store.read(uri, options)),
    write: (uri, bytes, options) => call(uri, (store) => store.write(uri, bytes, options)),
    list: own.list,
  };
}

/** Converts Java's properties (`S3FileIOProperties`, `AwsClientProperties`) to settings. Our own keys are never sent to the catalog's endpoint. */
function amazonSettings(own: StoreSettings, config: StorageCredential['config']): StoreSettings {
  const region = own.region ?? config['s3.region'] ?? config['client.region'];
  const pathStyle = own.path_style ?? flag(config['s3.path-style-access']);
  return {
    ...settingsAt(own, config['s3.endpoint']),
    ...(region !== undefined && { region }),
    ...(pathStyle !== undefined && { path_style: pathStyle }),
    access_key_id: config['s3.access-key-id'] ?? '',
    secret_access_key: config['s3.secret-access-key'] ?? '',
    ...(config['s3.session-token'] !== undefined && { session_token: config['s3.session-token'] }),
  };
}

/** The same for Google's properties (`GCPProperties`). */
function googleSettings(own: StoreSettings, config: StorageCredential['config']): StoreSettings {
  return settingsAt(own, config['gcs.service.host']);
}

/** Our own settings without keys, with our own endpoint or else the catalog's. */
function settingsAt(own: StoreSettings, theirs: string | undefined): StoreSettings {
  const endpoint = own.endpoint ?? theirs;
  if (endpoint !== undefined && isPlainHttp(endpoint) && !own.allow_http) {
    throw new RegistrarError(
      'config.invalid',
      `Cannot use the catalog's credentials at "${endpoint}": an endpoint of http:// needs store.allow_http: true`,
    );
  }
  const { access_key_id: _key, secret_access_key: _secret, session_token: _token, ...plain } = own;
  return { ...plain, ...(endpoint !== undefined && { endpoint }) };
}

function flag(text: string | undefined): boolean | undefined {
  return text === undefined ? undefined : text === 'true';
}
