import { type ContainerNetwork, runContainer, startContainer } from './container.ts';
import { manage } from './management.ts';
import { postgresInContainer } from './postgres.ts';
import type { CatalogService, Folders, Running, StoreService } from './service.ts';

const image = process.env['LAKEKEEPER_IMAGE'] ?? 'quay.io/lakekeeper/catalog:v0.13.1';
const warehouse = 'lake';

/**
 * Lakekeeper with its tables in PostgreSQL, prepared as its example "minimal" is (github.com/lakekeeper/lakekeeper, examples/minimal): the
 * database is migrated, the server started without authentication, bootstrapped, and given a warehouse.
 */
export async function lakekeeperInContainer(
  folders: Folders,
  network: ContainerNetwork,
  store: StoreService,
  storeEndpoint: string,
): Promise<Running<CatalogService>> {
  const database = await postgresInContainer(folders, network, 'lakekeeper');
  const { host, port, name, user, password } = database.service;
  const url = `postgresql://${user}:${password}@${host}:${port}/${name}`;
  const environment = {
    LAKEKEEPER__PG_ENCRYPTION_KEY: 'the key of one test run',
    LAKEKEEPER__PG_DATABASE_URL_READ: url,
    LAKEKEEPER__PG_DATABASE_URL_WRITE: url,
  };
  await runContainer(folders, network, {
    name: 'lakekeeper-migrate',
    image,
    command: ['migrate'],
    environment,
  });
  const server = await startContainer(folders, network, {
    name: 'lakekeeper',
    image,
    port: 8181,
    command: ['serve'],
    environment,
    readyPath: '/health',
  });
  return {
    service: await lakekeeperCatalog(server.endpoint, store, storeEndpoint),
    stop: async () => {
      await server.stop();
      await database.stop();
    },
  };
}

/** Makes the warehouse (docs.lakekeeper.io, "Bootstrap", "Storage"). `storeEndpoint` must be good for Lakekeeper and its clients alike: it knows one only. */
export async function lakekeeperCatalog(
  server: string,
  store: StoreService,
  storeEndpoint: string,
): Promise<CatalogService> {
  const management = `${server}/management/v1`;
  await manage('POST', `${management}/bootstrap`, { 'accept-terms-of-use': true });
  await manage('POST', `${management}/warehouse`, {
    'warehouse-name': warehouse,
    'storage-profile': {
      type: 's3',
      bucket: store.bucket,
      endpoint: storeEndpoint,
      region: store.region,
      'path-style-access': true,
      flavor: 's3-compat',
      'sts-enabled': false,
      'remote-signing-enabled': false,
    },
    'storage-credential': {
      type: 's3',
      'credential-type': 'access-key',
      'aws-access-key-id': store.accessKeyId,
      'aws-secret-access-key': store.secretAccessKey,
    },
    'delete-profile': { type: 'hard' },
  });
  return { uri: `${server}/catalog`, store, warehouse };
}
