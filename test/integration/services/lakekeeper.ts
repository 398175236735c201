import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type ContainerNetwork, runContainer, startContainer } from './container.ts';
import { freePorts } from './free-ports.ts';
import { startHostProcess } from './host-process.ts';
import { manage } from './management.ts';
import { type Database, postgresInContainer, postgresOnHost } from './postgres.ts';
import { answers } from './ready.ts';
import type { CatalogService, Folders, Running, StoreService } from './service.ts';

const image = process.env['LAKEKEEPER_IMAGE'] ?? 'quay.io/lakekeeper/catalog:v0.13.1';

type Headers = Readonly<Record<string, string>>;

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
  const environment = tablesIn(database.service);
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

/**
 * The same as a process of this machine, with a PostgreSQL from Debian's packages: `binary` is the path of the program, as its releases have it.
 * It listens on 127.0.0.1 alone.
 *
 * @param guard what makes it ask who calls, and the headers of one who may prepare it
 */
export async function lakekeeperOnHost(
  folders: Folders,
  binary: string,
  store: StoreService,
  guard: { readonly environment?: Readonly<Record<string, string>>; readonly headers?: Headers } = {},
): Promise<Running<CatalogService>> {
  const database = await postgresOnHost(folders, 'lakekeeper');
  try {
    const [port, metricsPort] = await freePorts(2);
    const env = {
      ...tablesIn(database.service),
      LAKEKEEPER__BIND_IP: '127.0.0.1',
      LAKEKEEPER__LISTEN_PORT: String(port),
      LAKEKEEPER__METRICS__PORT: String(metricsPort),
      ...guard.environment,
    };
    await promisify(execFile)(binary, ['migrate'], { env: { ...process.env, ...env } });
    const uri = `http://127.0.0.1:${port}`;
    const server = await startHostProcess(folders, {
      name: 'lakekeeper',
      command: binary,
      args: ['serve'],
      env,
      ready: () => answers(`${uri}/health`),
    });
    const stop = async () => {
      await server.stop();
      await database.stop();
    };
    return { service: await lakekeeperCatalog(uri, store, store.endpoint, guard.headers), stop };
  } catch (error) {
    await database.stop();
    throw error;
  }
}

function tablesIn({ host, port, name, user, password }: Database): Readonly<Record<string, string>> {
  const url = `postgresql://${user}:${password}@${host}:${port}/${name}`;
  return {
    LAKEKEEPER__PG_ENCRYPTION_KEY: 'the key of one test run',
    LAKEKEEPER__PG_DATABASE_URL_READ: url,
    LAKEKEEPER__PG_DATABASE_URL_WRITE: url,
  };
}

/** Makes the warehouse (docs.lakekeeper.io, "Bootstrap"). */
export async function lakekeeperCatalog(
  server: string,
  store: StoreService,
  storeEndpoint: string,
  headers?: Headers,
): Promise<CatalogService> {
  await manage('POST', `${server}/management/v1/bootstrap`, { 'accept-terms-of-use': true }, headers);
  return lakekeeperWarehouse(server, 'lake', store, storeEndpoint, { headers });
}

/**
 * A warehouse on the whole of a bucket (docs.lakekeeper.io, "Storage"). `storeEndpoint` must be good for Lakekeeper and its clients alike: it knows
 * one only. With a `role` it hands out credentials for a table's location, of that role.
 */
export async function lakekeeperWarehouse(
  server: string,
  warehouse: string,
  store: StoreService,
  storeEndpoint: string,
  { role, headers }: { readonly role?: string | undefined; readonly headers?: Headers | undefined } = {},
): Promise<CatalogService> {
  const body = {
    'warehouse-name': warehouse,
    'storage-profile': {
      type: 's3',
      bucket: store.bucket,
      endpoint: storeEndpoint,
      region: store.region,
      'path-style-access': true,
      flavor: 's3-compat',
      'sts-enabled': role !== undefined,
      ...(role !== undefined && { 'sts-role-arn': role }),
      'remote-signing-enabled': false,
    },
    'storage-credential': {
      type: 's3',
      'credential-type': 'access-key',
      'aws-access-key-id': store.accessKeyId,
      'aws-secret-access-key': store.secretAccessKey,
    },
    'delete-profile': { type: 'hard' },
  };
  await manage('POST', `${server}/management/v1/warehouse`, body, headers);
  return { uri: `${server}/catalog`, store, warehouse };
}
