import type { Entry } from '../../config/entry.ts';
import { RegistrarError } from '../../errors.ts';
import { untilItWorks } from '../../memo.ts';
import type { Catalog, KnownHistory, LoadedTable, ServiceConfig } from '../../ports.ts';
import { stringifyJson } from '../../spec/json.ts';
import { formatIdentifier, type TableIdentifier } from '../../spec/table-identifier.ts';
import { tableToken } from './authorization.ts';
import { type ClientSettings, catalogClient, type Reply, type RequestOptions } from './client.ts';
import { commitReport } from './commit-report.ts';
import { type ConnectionPorts, type ConnectionSettings, connectTo } from './connection.ts';
import { credentialRenewal } from './credential-renewal.ts';
import { loadServiceConfig } from './service-config.ts';
import { type StorageCredential, storageCredentials } from './storage-credentials.ts';
import { readTable, type TableAnswer } from './table-answer.ts';
import { tableMemory } from './table-memory.ts';

export type RestCatalogSettings = ClientSettings &
  ConnectionSettings &
  Pick<Entry, 'catalog_warehouse' | 'catalog_prefix'> &
  Partial<Pick<Entry, 'access_delegation' | 'catalog_metrics'>>;

/** A catalog that may vend credentials for the files of its tables. */
export interface RestCatalog extends Catalog {
  /** Asks for the catalog's configuration in advance, which also opens the connection and gets a token. */
  prepare(): Promise<ServiceConfig>;
  /**
   * The vended credential with the longest prefix of a URI, for a table that was loaded before; undefined if the function's own apply. With
   * `renew` the catalog is asked for new credentials first.
   */
  credentialFor(uri: string, options?: { readonly renew?: boolean }): Promise<StorageCredential | undefined>;
}

/** An Iceberg REST catalog (`rest-catalog-open-api.yaml`). Its configuration is requested at the first call. */
export function restCatalog(settings: RestCatalogSettings, ports: ConnectionPorts): RestCatalog {
  const base = parseUri(settings.catalog_uri);
  const connection = connectTo(base, settings, ports);
  const client = catalogClient(base.origin, settings, { ...ports, ...connection });
  const remembered = tableMemory();
  const delegating = settings.access_delegation === 'vended-credentials';
  const delegation = delegating ? { 'X-Iceberg-Access-Delegation': 'vended-credentials' } : {};
  const renewable = credentialRenewal(
    remembered,
    (path, attempted) => loadFrom(path, attempted, delegation),
    ports.clock,
  );
  const serviceConfig = untilItWorks(() => loadServiceConfig(client, base, settings));

  /** Each sending has its own key: the stored answer to another attempt, or to one with refused credentials, must not be repeated. */
  async function keyed(headers: Readonly<Record<string, string>> = {}): Promise<RequestOptions> {
    const { idempotencyKeys } = await serviceConfig();
    const key = () => ({ 'Idempotency-Key': timeOrderedUuid(ports.clock.now(), ports.random.uuid()) });
    return { headers: () => ({ ...headers, ...(idempotencyKeys && key()) }) };
  }

  async function loadFrom(
    path: string,
    attempted: string,
    headers: Readonly<Record<string, string>>,
    options?: KnownHistory,
  ) {
    const tagged = remembered.tagged(path);
    const { authorization } = remembered.grant(path) ?? {};
    const reply = await client.get(path, { headers: () => headers, authorization });
    if (reply.outcome === 'missing') return undefined;
    if (reply.outcome === 'unchanged' && tagged !== undefined) return tagged.table;
    if (reply.outcome !== 'ok') throw failed(attempted, reply);
    return remember(path, reply.etag, requireTable(attempted, reply, options));
  }

  /** Keeps what a load returns with the table: its ETag, a token for it, credentials for its files. */
  function remember(path: string, etag: string | undefined, answer: TableAnswer): LoadedTable {
    const { table } = answer;
    const token = table.config['token'];
    remembered.remember(path, table, etag, {
      credentials: delegating ? storageCredentials(answer) : [],
      authorization: token === undefined ? undefined : tableToken(token, connection.authorization),
    });
    return table;
  }

  async function namespacePath(namespace: readonly string[]): Promise<string> {
    const { basePath, namespaceSeparator } = await serviceConfig();
    return `${basePath}/namespaces/${namespace.map(encodeURIComponent).join(namespaceSeparator)}`;
  }

  async function tablePath(table: TableIdentifier): Promise<string> {
    const { namespace, name } = table;
    if (isDots(name) || (namespace.length === 1 && isDots(namespace.join()))) {
      throw new RegistrarError(
        'table.unsupported',
        `Cannot ask for table "${formatIdentifier(table)}": proxies take "." and ".." in a path for a directory; give the dataset another name, or set hidden_names: ignore`,
      );
    }
    return `${await namespacePath(namespace)}/tables/${encodeURIComponent(name)}`;
  }

  /**
   * The result of register or create. Of several creators one gets the table, and the others learn that it exists. If it does not exist,
   * the conflict has another cause (in Lakekeeper, a property that it refuses), which the message states.
   */
  async function added(path: string, attempted: string, reply: Reply): Promise<LoadedTable | 'exists'> {
    if (reply.outcome === 'conflict') {
      const there = await client.get(path);
      if (there.outcome === 'missing') throw failed(attempted, reply);
      return 'exists';
    }
    if (reply.outcome !== 'ok') throw failed(attempted, reply);
    return remember(path, reply.etag, requireTable(attempted, reply));
  }

  return {
    prepare: serviceConfig,

    async load(table, options) {
      const path = await tablePath(table);
      const etag = remembered.tagged(path)?.etag;
      const headers = { ...delegation, ...(etag !== undefined && { 'If-None-Match': etag }) };
      return loadFrom(path, `load table "${formatIdentifier(table)}"`, headers, options);
    },

    async createNamespace(namespace) {
      const attempted = `create namespace "${namespace.join('.')}"`;
      const found = await client.get(await namespacePath(namespace));
      if (found.outcome === 'ok') return;
      if (found.outcome === 'unknown' || found.outcome === 'throttled') throw failed(attempted, found);
      const { basePath } = await serviceConfig();
      for (let depth = 1; depth <= namespace.length; depth += 1) {
        const levels = namespace.slice(0, depth);
        const body = stringifyJson({ namespace: levels, properties: {} });
        const reply = await client.post(`${basePath}/namespaces`, body);
        if (reply.outcome === 'ok' || reply.outcome === 'conflict') continue;
        // A JDBC catalog answers 500 to the loser of a race between creators.
        const there = await client.get(await namespacePath(levels));
        if (there.outcome !== 'ok') throw failed(attempted, reply);
      }
    },

    async register(table, metadataLocation) {
      const body = stringifyJson({ name: table.name, 'metadata-location': metadataLocation });
      const path = `${await namespacePath(table.namespace)}/register`;
      const reply = await client.post(path, body, await keyed(delegation));
      return added(
        await tablePath(table),
        `register "${metadataLocation}" as table "${formatIdentifier(table)}"`,
        reply,
      );
    },

    async create(table, { schema, spec, location, formatVersion, properties }) {
      const body = stringifyJson({
        name: table.name,
        location,
        schema,
        'partition-spec': spec,
        // Optional by the specification; Nessie answers 500 without it.
        'stage-create': false,
        properties: { ...properties, 'format-version': String(formatVersion) },
      });
      const path = `${await namespacePath(table.namespace)}/tables`;
      const reply = await client.post(path, body, await keyed(delegation));
      return added(await tablePath(table), `create table "${formatIdentifier(table)}"`, reply);
    },

    async commit(table, { requirements, updates }, options) {
      const body = stringifyJson({ identifier: table, requirements, updates });
      const path = await tablePath(table);
      const { authorization } = remembered.grant(path) ?? {};
      const { outcome, ...reply } = await client.post(path, body, { ...(await keyed()), authorization });
      remembered.forgetTag(path);
      if (outcome === 'unknown' || outcome === 'unchanged') {
        return { outcome: 'unknown', message: reply.message };
      }
      if (outcome !== 'ok') {
        const { message, retryAfterMs } = reply;
        return {
          outcome: 'refused',
          reason: outcome,
          message,
          ...(retryAfterMs !== undefined && { retryAfterMs }),
        };
      }
      const landed = readTable(reply, options);
      if (landed === undefined) {
        return { outcome: 'unknown', message: `${reply.message}, without the table's metadata` };
      }
      const report = settings.catalog_metrics ? commitReport(table, updates) : undefined;
      // A failed report does not change that the commit has landed.
      if (report !== undefined)
        await client.post(`${path}/metrics`, report, { authorization }).catch(() => undefined);
      return { outcome: 'landed', table: landed.table };
    },

    async supports(endpoint) {
      const { endpoints } = await serviceConfig();
      return endpoints?.has(endpointNames[endpoint]);
    },

    credentialFor: (uri, { renew = false } = {}) => renewable(uri, renew),
  };
}

/** Whether proxies would resolve the name as a path segment, even if it is encoded (RFC 3986, section 5.2.4). */
function isDots(name: string): boolean {
  return name === '.' || name === '..';
}

/** A version 7 UUID (RFC 9562), which the specification requires for an `Idempotency-Key`: the time, then the random part of a version 4 UUID. */
function timeOrderedUuid(nowMs: number, uuid: string): string {
  const time = nowMs.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${uuid.slice(15)}`;
}

const endpointNames = {
  register: 'POST /v1/namespaces/{namespace}/register',
  commit: 'POST /v1/namespaces/{namespace}/tables/{table}',
  create: 'POST /v1/namespaces/{namespace}/tables',
} as const;

function parseUri(uri: string): URL {
  const url = URL.parse(uri);
  if (url?.username || url?.password) {
    throw new RegistrarError(
      'config.invalid',
      'Cannot use catalog_uri: it must not hold a user name or a password',
    );
  }
  if (url !== null && /^https?:$/.test(url.protocol)) return url;
  throw new RegistrarError(
    'config.invalid',
    `Cannot use catalog_uri "${uri}": it must read https://host/path`,
  );
}

function failed(attempted: string, { outcome, message, retryAfterMs }: Reply): RegistrarError {
  return new RegistrarError(
    outcome === 'unknown' || outcome === 'throttled' ? 'catalog.unavailable' : 'catalog.refused',
    `Cannot ${attempted}: the catalog ${outcome === 'throttled' ? 'asks to slow down:' : 'answered'} ${message}`,
    { context: { retryAfterMs } },
  );
}

function requireTable(attempted: string, reply: Reply, options?: KnownHistory): TableAnswer {
  const answer = readTable(reply, options);
  if (answer !== undefined) return answer;
  throw new RegistrarError(
    'catalog.refused',
    `Cannot ${attempted}: the catalog answered ${reply.message}, without the table's metadata`,
  );
}
