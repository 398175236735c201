import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { composed } from './composed.ts';
import { type ContainerNetwork, runContainer, startContainer } from './container.ts';
import { manage } from './management.ts';
import { type Database, postgresInContainer, postgresOnHost } from './postgres.ts';
import { java, quarkusOnHost } from './quarkus.ts';
import type { CatalogService, Folders, Running, StoreService } from './service.ts';

const version = '1.7.0';
const realm = 'POLARIS';
const root = { id: 'root', secret: 's3cr3t' };

/**
 * Apache Polaris with its tables in PostgreSQL, prepared as its guides tell ("JDBC", "Quickstart", polaris.apache.org/guides): the
 * admin tool makes the realm, the management API the catalog, and a principal of its own for the registrar.
 */
export async function polarisInContainer(
  folders: Folders,
  network: ContainerNetwork,
  store: StoreService,
  storeEndpoint: string,
): Promise<Running<CatalogService>> {
  const database = await postgresInContainer(folders, network, 'polaris');
  const persistence = tablesIn(database.service);
  await runContainer(folders, network, {
    name: 'polaris-bootstrap',
    image: process.env['POLARIS_ADMIN_IMAGE'] ?? `apache/polaris-admin-tool:${version}`,
    command: bootstrap,
    environment: persistence,
  });
  const server = await startContainer(folders, network, {
    name: 'polaris',
    image: process.env['POLARIS_IMAGE'] ?? `apache/polaris:${version}`,
    port: 8181,
    environment: { ...persistence, ...settings(store) },
    readyPath: '/q/health',
    readyPort: 8182,
  });
  return {
    service: await polarisCatalog(server.endpoint, store, storeEndpoint),
    stop: async () => {
      await server.stop();
      await database.stop();
    },
  };
}

/**
 * The same as a process of this machine, with a PostgreSQL from Debian's packages: `folder` is an unpacked binary distribution, with `admin`
 * and `server` in it.
 */
export function polarisOnHost(
  folders: Folders,
  folder: string,
  store: StoreService,
): Promise<Running<CatalogService>> {
  const jar = (application: string) => join(folder, application, 'quarkus-run.jar');
  return composed(async (part) => {
    const database = part(await postgresOnHost(folders, 'polaris'));
    const persistence = tablesIn(database.service);
    await promisify(execFile)(java, ['-jar', jar('admin'), ...bootstrap], {
      cwd: folders.scratch,
      env: { ...process.env, ...persistence },
    });
    const environment = { ...persistence, ...settings(store) };
    const server = part(await quarkusOnHost(folders, 'polaris', jar('server'), environment));
    return polarisCatalog(server.endpoint, store, store.endpoint);
  });
}

const bootstrap = ['bootstrap', `--realm=${realm}`, `--credential=${realm},${root.id},${root.secret}`];

function tablesIn({ host, port, name, user, password }: Database): Readonly<Record<string, string>> {
  return {
    POLARIS_PERSISTENCE_TYPE: 'relational-jdbc',
    QUARKUS_DATASOURCE_JDBC_URL: `jdbc:postgresql://${host}:${port}/${name}`,
    QUARKUS_DATASOURCE_USERNAME: user,
    QUARKUS_DATASOURCE_PASSWORD: password,
  };
}

function settings(store: StoreService): Readonly<Record<string, string>> {
  return {
    POLARIS_REALM_CONTEXT_REALMS: realm,
    QUARKUS_OTEL_SDK_DISABLED: 'true',
    // The contract's tables lie side by side, whatever namespace they are in.
    'polaris.features."ALLOW_UNSTRUCTURED_TABLE_LOCATION"': 'true',
    AWS_REGION: store.region,
    AWS_ACCESS_KEY_ID: store.accessKeyId,
    AWS_SECRET_ACCESS_KEY: store.secretAccessKey,
  };
}

const owner = 'loaders';

/** Makes the catalog and who may use it. `storeEndpoint` is where Polaris finds the store, `store.endpoint` where its clients do. */
export async function polarisCatalog(
  server: string,
  store: StoreService,
  storeEndpoint: string,
): Promise<CatalogService> {
  const manages = await manager(server);
  const principal = (await manages('POST', 'principals', {
    principal: { name: 'registrar', properties: {} },
  })) as { readonly credentials: { readonly clientId: string; readonly clientSecret: string } };
  await manages('POST', 'principal-roles', { principalRole: { name: owner } });
  await manages('PUT', 'principals/registrar/principal-roles', { principalRole: { name: owner } });
  await polarisWarehouse(server, 'lake', store, storeEndpoint);
  const { clientId, clientSecret } = principal.credentials;
  return {
    uri: `${server}/api/catalog`,
    store,
    warehouse: 'lake',
    token: await tokenOf(server, clientId, clientSecret),
    wayIn: {
      catalog_headers: { 'Polaris-Realm': realm },
      catalog_credential: { client_id: clientId, client_secret: clientSecret, scope: 'PRINCIPAL_ROLE:ALL' },
    },
  };
}

/** A catalog of Polaris on the whole of a bucket. With a `role` it hands out credentials for a table's location, of that role. */
export async function polarisWarehouse(
  server: string,
  warehouse: string,
  store: StoreService,
  storeEndpoint: string,
  role?: string,
): Promise<void> {
  const manages = await manager(server);
  const location = `s3://${store.bucket}`;
  await manages('POST', 'catalogs', {
    catalog: {
      name: warehouse,
      type: 'INTERNAL',
      readOnly: false,
      properties: { 'default-base-location': location },
      storageConfigInfo: {
        storageType: 'S3',
        allowedLocations: [location],
        endpoint: store.endpoint,
        endpointInternal: storeEndpoint,
        pathStyleAccess: true,
        region: store.region,
        ...(role === undefined ? { stsUnavailable: true } : { roleArn: role, stsEndpoint: storeEndpoint }),
      },
    },
  });
  await manages('POST', `catalogs/${warehouse}/catalog-roles`, { catalogRole: { name: 'content' } });
  await manages('PUT', `principal-roles/${owner}/catalog-roles/${warehouse}`, {
    catalogRole: { name: 'content' },
  });
  await manages('PUT', `catalogs/${warehouse}/catalog-roles/content/grants`, {
    type: 'catalog',
    privilege: 'CATALOG_MANAGE_CONTENT',
  });
}

/** Its management API, as root. */
async function manager(server: string) {
  const headers = {
    authorization: `Bearer ${await tokenOf(server, root.id, root.secret)}`,
    'Polaris-Realm': realm,
  };
  return (method: 'POST' | 'PUT', path: string, body: unknown) =>
    manage(method, `${server}/api/management/v1/${path}`, body, headers);
}

async function tokenOf(server: string, id: string, secret: string): Promise<string> {
  const url = `${server}/api/catalog/v1/oauth/tokens`;
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Polaris-Realm': realm },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: id,
      client_secret: secret,
      scope: 'PRINCIPAL_ROLE:ALL',
    }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`Cannot get a token from "${url}": ${response.status} ${text}`);
  return (JSON.parse(text) as { readonly access_token: string }).access_token;
}
