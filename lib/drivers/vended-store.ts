import type { StoreSettings } from '../config/entry.ts';
import { RegistrarError } from '../errors.ts';
import type { Store } from '../ports.ts';
import type { RestCatalog } from './rest-catalog/rest-catalog.ts';
import type { StorageCredential } from './rest-catalog/storage-credentials.ts';

/**
 * The store that a table's own files are read from and written to, with the credentials that its catalog hands out: the one with the
 * longest prefix of a URI, renewed before it ends or once it is refused. What no credential covers goes to `own`.
 *
 * @param settings of `own`: endpoint, region and path style are taken from there before the catalog's
 */
export function vendedStore(
  own: Store,
  settings: StoreSettings,
  credentialFor: RestCatalog['credentialFor'],
  makeStore: (settings: StoreSettings) => Store,
): Store {
  const made = new WeakMap<StorageCredential['config'], Store>();

  function storeOf({ config }: StorageCredential): Store {
    const known = made.get(config);
    if (known !== undefined) return known;
    const store = makeStore(vendedSettings(settings, config));
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

/** Java's property names (`S3FileIOProperties`, `AwsClientProperties`) as settings; keys of one's own never go to the catalog's endpoint. */
function vendedSettings(own: StoreSettings, config: StorageCredential['config']): StoreSettings {
  const endpoint = own.endpoint ?? config['s3.endpoint'];
  if (endpoint?.startsWith('http://') && !own.allow_http) {
    throw new RegistrarError(
      'config.invalid',
      `Cannot use the catalog's credentials at "${endpoint}": an endpoint of http:// needs store.allow_http: true`,
    );
  }
  const region = own.region ?? config['s3.region'] ?? config['client.region'];
  const pathStyle = own.path_style ?? flag(config['s3.path-style-access']);
  const { access_key_id: _key, secret_access_key: _secret, session_token: _token, ...plain } = own;
  return {
    ...plain,
    ...(endpoint !== undefined && { endpoint }),
    ...(region !== undefined && { region }),
    ...(pathStyle !== undefined && { path_style: pathStyle }),
    access_key_id: config['s3.access-key-id'] ?? '',
    secret_access_key: config['s3.secret-access-key'] ?? '',
    ...(config['s3.session-token'] !== undefined && { session_token: config['s3.session-token'] }),
  };
}

function flag(text: string | undefined): boolean | undefined {
  return text === undefined ? undefined : text === 'true';
}
