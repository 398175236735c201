import { parseJson, stringifyJson } from '../../lib/spec/json.ts';
import { isObject, type JsonObject } from '../../lib/spec/json-object.ts';
import type { TableIdentifier } from '../../lib/spec/table-identifier.ts';
import type { HttpRequest, HttpResponse } from '../http-service.ts';
import { badRequest, CatalogError } from './catalog-error.ts';
import { readObject, readText, readTextMap, readTexts, sameLong } from './request-fields.ts';
import { writableMetadata } from './table-metadata.ts';
import { type CatalogTable, levelSeparator, type Tables } from './tables.ts';

export interface CatalogSettings {
  /** Inserted after `v1/` unchanged, and sent in the configuration's overrides. */
  readonly prefix?: string;
  /** If set, every request except the token exchange needs it. */
  readonly token?: string;
  /** If set, `POST v1/oauth/tokens` exchanges it for `token`. */
  readonly credential?: { readonly clientId: string; readonly clientSecret: string };
  /** The `config` of every loaded table: how to access its files. */
  readonly tableConfig?: Readonly<Record<string, string>>;
}

interface Call {
  readonly tables: Tables;
  readonly settings: CatalogSettings;
  readonly query: URLSearchParams;
  readonly headers: HttpRequest['headers'];
  readonly body: JsonObject;
  readonly namespace: readonly string[];
  readonly table: TableIdentifier;
}

type Route = (call: Call) => HttpResponse | Promise<HttpResponse>;

/** The Iceberg REST protocol over `Tables`. */
export async function handleCatalog(
  tables: Tables,
  settings: CatalogSettings,
  request: HttpRequest,
): Promise<HttpResponse> {
  try {
    if (request.path === '/v1/oauth/tokens') return exchangeToken(settings, request);
    if (settings.token !== undefined && request.headers['authorization'] !== `Bearer ${settings.token}`) {
      throw new CatalogError(401, 'NotAuthorizedException', 'Not authorized: no valid bearer token');
    }
    if (request.path === '/v1/config') return json(configuration(settings));
    const { route, namespace = [], name = '' } = findRoute(request, settings.prefix);
    const { query, headers } = request;
    const body = request.body.length === 0 ? {} : parseBody(request.body);
    const answer = await route({
      tables,
      settings,
      query,
      headers,
      body,
      namespace,
      table: { namespace, name },
    });
    return request.method === 'HEAD' ? { status: answer.status === 200 ? 204 : answer.status } : answer;
  } catch (error) {
    if (!(error instanceof CatalogError)) throw error;
    const { status, type, message } = error;
    return json({ error: { message, type, code: status } }, status);
  }
}

/** Paths below `v1/{prefix}`, as a configuration's `endpoints` spells them. HEAD is answered by the GET of the same path. */
const routes: Readonly<Record<string, Route>> = {
  'GET namespaces': ({ tables, query }) => {
    const parent = query.get('parent');
    return json({ namespaces: tables.namespaces(parent ? parent.split(levelSeparator) : []) });
  },
  'POST namespaces': ({ tables, body }) => {
    const namespace = readTexts(body, 'namespace');
    const properties = isObject(body['properties']) ? readTextMap(body, 'properties') : {};
    tables.createNamespace(namespace, properties);
    return json({ namespace, properties });
  },
  'GET namespaces/{namespace}': ({ tables, namespace }) =>
    json({ namespace, properties: tables.namespaceProperties(namespace) }),
  'DELETE namespaces/{namespace}': ({ tables, namespace }) => {
    tables.dropNamespace(namespace);
    return { status: 204 };
  },
  'POST namespaces/{namespace}/properties': ({ tables, namespace, body }) => {
    const current = tables.namespaceProperties(namespace);
    const updates = isObject(body['updates']) ? readTextMap(body, 'updates') : {};
    const removals = body['removals'] === undefined ? [] : readTexts(body, 'removals');
    const kept = Object.entries(current).filter(([name]) => !removals.includes(name));
    tables.setNamespaceProperties(namespace, { ...Object.fromEntries(kept), ...updates });
    const removed = removals.filter((name) => name in current);
    const missing = removals.filter((name) => !(name in current));
    return json({ updated: Object.keys(updates), removed, missing });
  },
  'GET namespaces/{namespace}/tables': ({ tables, namespace }) =>
    json({ identifiers: tables.list(namespace).map((name) => ({ namespace, name })) }),
  'POST namespaces/{namespace}/tables': async (call) =>
    loaded(call, await call.tables.create(call.namespace, call.body)),
  'GET namespaces/{namespace}/tables/{table}': (call) => {
    const found = call.tables.load(call.table);
    if (call.headers['if-none-match'] === etag(call, found)) return { status: 304 };
    return loaded(call, call.query.get('snapshots') === 'refs' ? onlyReferenced(found) : found);
  },
  'POST namespaces/{namespace}/tables/{table}': async (call) => {
    const { metadataLocation, metadata } = await call.tables.commit(call.table, call.body);
    return json({ 'metadata-location': metadataLocation, metadata: writableMetadata(metadata) });
  },
  'DELETE namespaces/{namespace}/tables/{table}': ({ tables, query, table }) => {
    if (query.get('purgeRequested') === 'true')
      throw badRequest('Cannot purge: the local catalog deletes no files');
    tables.drop(table);
    return { status: 204 };
  },
  'POST namespaces/{namespace}/register': async (call) => {
    const table = { namespace: call.namespace, name: readText(call.body, 'name') };
    return loaded(call, await call.tables.register(table, readText(call.body, 'metadata-location')));
  },
  'POST tables/rename': ({ tables, body }) => {
    tables.rename(readIdentifier(body, 'source'), readIdentifier(body, 'destination'));
    return { status: 204 };
  },
  'POST namespaces/{namespace}/tables/{table}/metrics': () => ({ status: 204 }),
};

function configuration(settings: CatalogSettings): object {
  const prefixed = Object.keys(routes).map((route) => route.replace(' ', ' /v1/{prefix}/'));
  const heads = [
    'HEAD /v1/{prefix}/namespaces/{namespace}',
    'HEAD /v1/{prefix}/namespaces/{namespace}/tables/{table}',
  ];
  return {
    defaults: {},
    overrides: settings.prefix === undefined ? {} : { prefix: settings.prefix },
    endpoints: [...prefixed, ...heads],
  };
}

function findRoute(
  { method, path }: HttpRequest,
  prefix: string | undefined,
): { readonly route: Route; readonly namespace?: readonly string[]; readonly name?: string } {
  const base = prefix === undefined ? '/v1/' : `/v1/${prefix}/`;
  const parts = path.startsWith(base) ? path.slice(base.length).split('/') : [];
  const [namespace, name] = [parts[1], parts[3]];
  const template = parts.map((part, i) =>
    parts[0] !== 'namespaces' ? part : i === 1 ? '{namespace}' : i === 3 ? '{table}' : part,
  );
  const route = routes[`${method === 'HEAD' ? 'GET' : method} ${template.join('/')}`];
  if (!route) throw new CatalogError(404, 'NotFoundException', `No route for request: ${method} ${path}`);
  return {
    route,
    ...(namespace !== undefined && { namespace: decodeURIComponent(namespace).split(levelSeparator) }),
    ...(name !== undefined && { name: decodeURIComponent(name) }),
  };
}

function loaded(call: Call, table: CatalogTable): HttpResponse {
  const body = {
    'metadata-location': table.metadataLocation,
    metadata: writableMetadata(table.metadata),
    config: call.settings.tableConfig ?? {},
  };
  return json(body, 200, table.metadataLocation === null ? {} : { etag: etag(call, table) });
}

/** An ETag that names a metadata file, and whether only part of it was requested. */
function etag({ query }: Call, { metadataLocation }: CatalogTable): string {
  return `"${metadataLocation?.replace(/^.*\//, '')}${query.get('snapshots') === 'refs' ? '#refs' : ''}"`;
}

function onlyReferenced(table: CatalogTable): CatalogTable {
  const refs = Object.values(table.metadata.refs);
  const snapshots = table.metadata.snapshots.filter((snapshot) =>
    refs.some((ref) => sameLong(ref['snapshot-id'], snapshot['snapshot-id'])),
  );
  return { ...table, metadata: { ...table.metadata, snapshots } };
}

function exchangeToken({ credential, token }: CatalogSettings, request: HttpRequest): HttpResponse {
  const form = new URLSearchParams(request.body.toString());
  const basic = /^Basic (.+)$/.exec(request.headers['authorization'] ?? '')?.[1];
  const sent = basic
    ? Buffer.from(basic, 'base64').toString()
    : `${form.get('client_id')}:${form.get('client_secret')}`;
  if (!credential || sent !== `${credential.clientId}:${credential.clientSecret}`) {
    return json({ error: 'invalid_client', error_description: 'Unknown client or wrong secret' }, 401);
  }
  return json({ access_token: token, token_type: 'bearer', expires_in: 3600 });
}

function readIdentifier(body: JsonObject, name: string): TableIdentifier {
  const identifier = readObject(body, name);
  return { namespace: readTexts(identifier, 'namespace'), name: readText(identifier, 'name') };
}

function parseBody(bytes: Buffer): JsonObject {
  let body: unknown;
  try {
    body = parseJson(bytes.toString());
  } catch {
    throw badRequest('Cannot parse the request: not JSON');
  }
  if (!isObject(body)) throw badRequest('Cannot parse the request: not a JSON object');
  return body;
}

function json(body: object, status = 200, headers: Readonly<Record<string, string>> = {}): HttpResponse {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: stringifyJson(body) };
}
