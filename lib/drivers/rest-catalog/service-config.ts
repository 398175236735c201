import type { Entry } from '../../config/entry.ts';
import { RegistrarError } from '../../errors.ts';
import type { ServiceConfig } from '../../ports.ts';
import { isObject } from '../../spec/json-object.ts';
import { withoutEndSlashes } from '../../spec/object-uri.ts';
import type { CatalogClient, Reply } from './client.ts';

const KEY_LIFETIME = 'idempotency-key-lifetime';

/**
 * Asks a catalog for its configuration: defaults < ours < overrides. The prefix is used as received: Nessie's is already encoded, others
 * contain slashes (D13).
 *
 * @throws `config.invalid` if the catalog names another origin, to which no credentials are sent (F15)
 */
export async function loadServiceConfig(
  client: CatalogClient,
  base: URL,
  settings: Pick<Entry, 'catalog_uri' | 'catalog_warehouse' | 'catalog_prefix'>,
): Promise<ServiceConfig> {
  const { catalog_warehouse: warehouse, catalog_prefix } = settings;
  const query = warehouse === undefined ? '' : `?warehouse=${encodeURIComponent(warehouse)}`;
  const { outcome, message, ...reply } = await client.get(`${rootPath(base)}/v1/config${query}`);
  const body = reply.body();
  if (outcome !== 'ok' || !isObject(body)) {
    // Under TLS 1.3 a server may close the connection of an unknown client without an explanation.
    const closed = base.protocol === 'https:' && /UND_ERR_SOCKET|ECONNRESET/.test(message);
    throw new RegistrarError(
      outcome === 'unknown' || outcome === 'throttled' ? 'catalog.unavailable' : 'catalog.refused',
      `Cannot read the configuration of the catalog "${settings.catalog_uri}"${warehouse === undefined ? '' : ` for catalog_warehouse "${warehouse}"`}: it answered ${message}${closed ? '; if it wants a client certificate, set catalog_client_cert and catalog_client_key to one that it trusts' : wayOut(outcome, warehouse)}`,
    );
  }
  const properties = {
    ...record(body['defaults']),
    ...(catalog_prefix !== undefined && { prefix: catalog_prefix }),
    uri: settings.catalog_uri,
    ...record(body['overrides']),
  };
  const uri = new URL(text(properties, 'uri') ?? base.href, base);
  if (uri.origin !== base.origin) {
    throw new RegistrarError(
      'config.invalid',
      `Cannot use the catalog "${settings.catalog_uri}": it wants to be called at "${uri.origin}", where credentials for it are not sent; set catalog_uri to that address if it is right`,
    );
  }
  const prefix = withoutEndSlashes((text(properties, 'prefix') ?? '').replace(/^\/+/, ''));
  const endpoints = body['endpoints'];
  return {
    basePath: `${rootPath(uri)}/v1${prefix === '' ? '' : `/${prefix}`}`,
    namespaceSeparator: text(properties, 'namespace-separator') ?? '%1F',
    endpoints: Array.isArray(endpoints)
      ? new Set(endpoints.map((endpoint) => plainEndpoint(String(endpoint))))
      : undefined,
    // Beside the overrides by the specification; Lakekeeper has it among them.
    idempotencyKeys: (body[KEY_LIFETIME] ?? text(properties, KEY_LIFETIME)) != null,
    server: reply.server,
  };
}

/** Catalogs answer 404 to a wrong path or an unknown warehouse, and 400 if a warehouse is required. */
function wayOut(outcome: Reply['outcome'], warehouse: string | undefined): string {
  if (outcome === 'ok')
    return ', which is no JSON object, so no Iceberg catalog, but perhaps a page to log in; check catalog_uri';
  if (outcome !== 'missing' && outcome !== 'invalid') return '';
  const hints = [
    ...(outcome === 'missing' ? ['catalog_uri is what stands before "/v1/config"'] : []),
    warehouse === undefined
      ? 'set catalog_warehouse if the catalog has several'
      : 'catalog_warehouse must be one that the catalog knows',
  ];
  return `; ${hints.join(', and ')}`;
}

/** `POST v1/{prefix}/x` and `POST /v1/x` are the same endpoint; Iceberg's fixture 1.10 writes the first form. */
function plainEndpoint(endpoint: string): string {
  const [method = '', path = ''] = endpoint.trim().split(/\s+/);
  return `${method.toUpperCase()} /${path.replace(/^\//, '').replace('{prefix}/', '')}`;
}

/** The path of a URI without trailing slashes. Takes linear time, however many slashes a catalog sends. */
function rootPath(uri: URL): string {
  return withoutEndSlashes(uri.pathname);
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

function text(properties: Readonly<Record<string, unknown>>, key: string): string | undefined {
  const value = properties[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
