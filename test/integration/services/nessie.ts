import { type ContainerNetwork, startContainer } from './container.ts';
import { postgresInContainer } from './postgres.ts';
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
  const { host, port, name, user, password } = database.service;
  const s3 = 'nessie.catalog.service.s3.default-options';
  const server = await startContainer(folders, network, {
    name: 'nessie',
    image: process.env['NESSIE_IMAGE'] ?? 'ghcr.io/projectnessie/nessie:0.108.4',
    port: 19120,
    environment: {
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
      'quarkus.otel.sdk.disabled': 'true',
    },
    readyPath: '/q/health',
    readyPort: 9000,
  });
  return {
    service: { uri: `${server.endpoint}/iceberg`, store, warehouse },
    stop: async () => {
      await server.stop();
      await database.stop();
    },
  };
}
