import { composed } from './composed.ts';
import { type ContainerNetwork, startContainer } from './container.ts';
import { type Database, postgresInContainer, postgresOnHost } from './postgres.ts';
import { quarkusOnHost } from './quarkus.ts';
import type { CatalogService, Folders, Running, StoreService } from './service.ts';

const warehouse = 'lake';

/** Nessie with its tables in PostgreSQL; all of it is configuration (projectnessie.org, "Configure Nessie with Iceberg REST", "Server Configuration"). */
export async function nessieInContainer(
  folders: Folders,
  network: ContainerNetwork,
  store: StoreService,
  storeEndpoint: string,
): Promise<Running<CatalogService>> {
  const database = await postgresInContainer(folders, network, 'nessie');
  const server = await startContainer(folders, network, {
    name: 'nessie',
    image: process.env['NESSIE_IMAGE'] ?? 'ghcr.io/projectnessie/nessie:0.108.4',
    port: 19120,
    environment: settings(database.service, store, storeEndpoint),
    readyPath: '/q/health',
    readyPort: 9000,
  });
  return {
    service: catalog(server.endpoint, store),
    stop: async () => {
      await server.stop();
      await database.stop();
    },
  };
}

/** The same as a process of this machine, with a PostgreSQL from Debian's packages: `jar` is `quarkus-run.jar`, or the runner that its releases have. */
export function nessieOnHost(
  folders: Folders,
  jar: string,
  store: StoreService,
): Promise<Running<CatalogService>> {
  return composed(async (part) => {
    const database = part(await postgresOnHost(folders, 'nessie'));
    const environment = settings(database.service, store, store.endpoint);
    const server = part(await quarkusOnHost(folders, 'nessie', jar, environment));
    return catalog(server.endpoint, store);
  });
}

function catalog(server: string, store: StoreService): CatalogService {
  return { uri: `${server}/iceberg`, store, warehouse, settings: { on_unprovable: 'register' } };
}

function settings(
  { host, port, name, user, password }: Database,
  store: StoreService,
  storeEndpoint: string,
): Readonly<Record<string, string>> {
  const s3 = 'nessie.catalog.service.s3.default-options';
  return {
    'nessie.version.store.type': 'JDBC',
    'nessie.version.store.persist.jdbc.datasource': 'postgresql',
    'quarkus.datasource.postgresql.jdbc.url': `jdbc:postgresql://${host}:${port}/${name}`,
    'quarkus.datasource.postgresql.username': user,
    'quarkus.datasource.postgresql.password': password,
    'nessie.catalog.default-warehouse': warehouse,
    [`nessie.catalog.warehouses.${warehouse}.location`]: `s3://${store.bucket}/`,
    [`${s3}.region`]: store.region,
    [`${s3}.path-style-access`]: 'true',
    [`${s3}.access-key`]: 'urn:nessie-secret:quarkus:nessie.catalog.secrets.access-key',
    'nessie.catalog.secrets.access-key.name': store.accessKeyId,
    'nessie.catalog.secrets.access-key.secret': store.secretAccessKey,
    [`${s3}.endpoint`]: storeEndpoint,
    [`${s3}.external-endpoint`]: store.endpoint,
    // Else readers sign with Nessie, which refuses some of the files that others have registered.
    [`${s3}.request-signing-enabled`]: 'false',
    'quarkus.otel.sdk.disabled': 'true',
  };
}
