import { type ContainerNetwork, runContainer, startContainer } from './container.ts';
import { manage } from './management.ts';
import { postgresInContainer } from './postgres.ts';
import type { CatalogService, Folders, Running, StoreService } from './service.ts';

const version = '1.7.0';
const realm = 'POLARIS';
const warehouse = 'lake';
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
  const { host, port, name, user, password } = database.service;
  const persistence = {
    POLARIS_PERSISTENCE_TYPE: 'relational-jdbc',
    QUARKUS_DATASOURCE_JDBC_URL: `jdbc:postgresql://${host}:${port}/${name}`,
    QUARKUS_DATASOURCE_USERNAME: user,
    QUARKUS_DATASOURCE_PASSWORD: password,
  };
  await runContainer(folders, network, {
    name: 'polaris-bootstrap',
    image: process.env['POLARIS_ADMIN_IMAGE'] ?? `apache/polaris-admin-tool:${version}`,
    command: ['bootstrap', `--realm=${realm}`, `--credential=${realm},${root.id},${root.secret}`],
    environment: persistence,
  });
  const server = await startContainer(folders, network, {
    name: 'polaris',
    image: process.env['POLARIS_IMAGE'] ?? `apache/polaris:${version}`,
    port: 8181,
    environment: {
      ...persistence,
      POLARIS_REALM_CONTEXT_REALMS: realm,
      QUARKUS_OTEL_SDK_DISABLED: 'true',
      // The contract's tables lie side by side, whatever namespace they are in.
      'polaris.features."ALLOW_UNSTRUCTURED_TABLE_LOCATION"': 'true',
      AWS_REGION: store.region,
      AWS_ACCESS_KEY_ID: store.accessKeyId,
      AWS_SECRET_ACCESS_KEY: store.secretAccessKey,
    },
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

/** Makes the catalog and who may use it. `storeEndpoint` is where Polaris finds the store, `store.endpoint` where its clients do. */
export async function polarisCatalog(
  server: string,
  store: StoreService,
  storeEndpoint: string,
): Promise<CatalogService> {
  const management = `${server}/api/management/v1`;
  const headers = {
    authorization: `Bearer ${await tokenOf(server, root.id, root.secret)}`,
    'Polaris-Realm': realm,
  };
  const location = `s3://${store.bucket}`;
  await manage(
    'POST',
    `${management}/catalogs`,
    {
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
          // SeaweedFS knows no role for it, and the registrar writes with keys of its own.
          stsUnavailable: true,
        },
      },
    },
    headers,
  );
  const principal = (await manage(
    'POST',
    `${management}/principals`,
    { principal: { name: 'registrar', properties: {} } },
    headers,
  )) as { readonly credentials: { readonly clientId: string; readonly clientSecret: string } };
  const roles: readonly (readonly ['POST' | 'PUT', string, unknown])[] = [
    ['POST', 'principal-roles', { principalRole: { name: 'loaders' } }],
    ['POST', `catalogs/${warehouse}/catalog-roles`, { catalogRole: { name: 'content' } }],
    ['PUT', 'principals/registrar/principal-roles', { principalRole: { name: 'loaders' } }],
    ['PUT', `principal-roles/loaders/catalog-roles/${warehouse}`, { catalogRole: { name: 'content' } }],
    [
      'PUT',
      `catalogs/${warehouse}/catalog-roles/content/grants`,
      { type: 'catalog', privilege: 'CATALOG_MANAGE_CONTENT' },
    ],
  ];
  for (const [method, path, body] of roles) await manage(method, `${management}/${path}`, body, headers);
  const { clientId, clientSecret } = principal.credentials;
  return {
    uri: `${server}/api/catalog`,
    store,
    warehouse,
    token: await tokenOf(server, clientId, clientSecret),
    wayIn: {
      catalog_headers: { 'Polaris-Realm': realm },
      catalog_credential: { client_id: clientId, client_secret: clientSecret, scope: 'PRINCIPAL_ROLE:ALL' },
    },
  };
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
