import type { Entry } from '../../config/entry.ts';
import { RegistrarError } from '../../errors.ts';
import type { Catalog, Clock, LoadedTable, Random, Timers } from '../../ports.ts';
import { stringifyJson } from '../../spec/json.ts';
import { formatIdentifier, type TableIdentifier } from '../../spec/table-identifier.ts';
import { type Authorization, staticToken } from './authorization.ts';
import { type ClientSettings, catalogClient, type Reply } from './client.ts';
import { httpSender, type SendHttp } from './http.ts';
import { isRecord } from './outcome.ts';
import { loadServiceConfig, type ServiceConfig } from './service-config.ts';

export type RestCatalogSettings = ClientSettings &
  Pick<Entry, 'catalog_uri' | 'catalog_warehouse' | 'catalog_prefix' | 'catalog_token'>;

export interface RestCatalogPorts {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  /** @default undici with kept connections of its own */
  readonly send?: SendHttp;
  /** @default the bearer `catalog_token`, if any */
  readonly authorization?: Authorization;
}

/** An Iceberg REST catalog (`rest-catalog-open-api.yaml`). Its configuration is asked for at the first call. */
export function restCatalog(settings: RestCatalogSettings, ports: RestCatalogPorts): Catalog {
  const base = parseUri(settings.catalog_uri);
  const client = catalogClient(base.origin, settings, {
    ...ports,
    send: ports.send ?? httpSender(),
    authorization: ports.authorization ?? staticToken(settings.catalog_token),
  });
  let pendingConfig: Promise<ServiceConfig> | undefined;

  function serviceConfig(): Promise<ServiceConfig> {
    pendingConfig ??= loadServiceConfig(client, base, settings).catch((error: unknown) => {
      pendingConfig = undefined;
      throw error;
    });
    return pendingConfig;
  }

  async function namespacePath(namespace: readonly string[]): Promise<string> {
    const { basePath, namespaceSeparator } = await serviceConfig();
    return `${basePath}/namespaces/${namespace.map(encodeURIComponent).join(namespaceSeparator)}`;
  }

  async function tablePath({ namespace, name }: TableIdentifier): Promise<string> {
    return `${await namespacePath(namespace)}/tables/${encodeURIComponent(name)}`;
  }

  /** Register and create: one of several creators gets the table, the others learn that it exists. */
  function added(attempted: string, reply: Reply): LoadedTable | 'exists' {
    if (reply.outcome === 'conflict') return 'exists';
    if (reply.outcome !== 'ok') throw failed(attempted, reply);
    return requireTable(attempted, reply);
  }

  return {
    async load(table) {
      const reply = await client.get(await tablePath(table));
      if (reply.outcome === 'missing') return undefined;
      const attempted = `load table "${formatIdentifier(table)}"`;
      if (reply.outcome !== 'ok') throw failed(attempted, reply);
      return requireTable(attempted, reply);
    },

    async createNamespace(namespace) {
      const attempted = `create namespace "${namespace.join('.')}"`;
      const found = await client.get(await namespacePath(namespace));
      if (found.outcome === 'ok') return;
      if (found.outcome === 'unknown') throw failed(attempted, found);
      const { basePath } = await serviceConfig();
      for (let depth = 1; depth <= namespace.length; depth += 1) {
        const levels = namespace.slice(0, depth);
        const body = stringifyJson({ namespace: levels, properties: {} });
        const reply = await client.post(`${basePath}/namespaces`, body);
        if (reply.outcome === 'ok' || reply.outcome === 'conflict') continue;
        // A JDBC catalog answers 500 to the loser of a race.
        const there = await client.get(await namespacePath(levels));
        if (there.outcome !== 'ok') throw failed(attempted, reply);
      }
    },

    async register(table, metadataLocation) {
      const body = stringifyJson({ name: table.name, 'metadata-location': metadataLocation });
      const reply = await client.post(`${await namespacePath(table.namespace)}/register`, body);
      return added(`register "${metadataLocation}" as table "${formatIdentifier(table)}"`, reply);
    },

    async create(table, { schema, spec, location, formatVersion, properties }) {
      const body = stringifyJson({
        name: table.name,
        location,
        schema,
        'partition-spec': spec,
        properties: { ...properties, 'format-version': String(formatVersion) },
      });
      const reply = await client.post(`${await namespacePath(table.namespace)}/tables`, body);
      return added(`create table "${formatIdentifier(table)}"`, reply);
    },

    async commit(table, { requirements, updates }) {
      const body = stringifyJson({ identifier: table, requirements, updates });
      const { outcome, ...reply } = await client.post(await tablePath(table), body);
      if (outcome === 'unknown') return { outcome, message: reply.message };
      if (outcome !== 'ok') return { outcome: 'refused', reason: outcome, message: reply.message };
      const landed = readTable(reply.body);
      return landed === undefined
        ? { outcome: 'unknown', message: `${reply.message}, without the table's metadata` }
        : { outcome: 'landed', table: landed };
    },

    async supports(endpoint) {
      const { endpoints } = await serviceConfig();
      return endpoints?.has(endpointNames[endpoint]);
    },
  };
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

function failed(attempted: string, { outcome, message }: Reply): RegistrarError {
  return new RegistrarError(
    outcome === 'unknown' ? 'catalog.unavailable' : 'catalog.refused',
    `Cannot ${attempted}: the catalog answered ${message}`,
  );
}

function requireTable(attempted: string, { body, message }: Reply): LoadedTable {
  const table = readTable(body);
  if (table !== undefined) return table;
  throw new RegistrarError(
    'catalog.refused',
    `Cannot ${attempted}: the catalog answered ${message}, without the table's metadata`,
  );
}

function readTable(body: unknown): LoadedTable | undefined {
  if (!isRecord(body) || !isRecord(body['metadata'])) return undefined;
  const location = body['metadata-location'];
  return {
    metadataLocation: typeof location === 'string' ? location : undefined,
    metadata: body['metadata'],
    config: isRecord(body['config']) ? (body['config'] as Readonly<Record<string, string>>) : {},
  };
}
