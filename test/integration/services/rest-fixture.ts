import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type ContainerNetwork, startContainer } from './container.ts';
import { freePort } from './free-ports.ts';
import { startHostProcess } from './host-process.ts';
import { answers } from './ready.ts';
import {
  type CatalogService,
  type Folders,
  fixtureEnvironment,
  type Running,
  type StoreService,
} from './service.ts';

/** Where a fixture keeps its tables, if not in a file of its own. */
export interface FixtureDatabase {
  /** `jdbc:…` */
  readonly uri: string;
  readonly user: string;
  readonly password: string;
  /** The jar of its driver: the fixture has SQLite's alone. */
  readonly driver: string;
}

/** Apache Iceberg's REST fixture over a store that runs already. `name` tells two of them apart. */
export async function restFixtureOnHost(
  folders: Folders,
  name: string,
  store: StoreService,
  database?: FixtureDatabase,
): Promise<Running<CatalogService>> {
  const port = await freePort();
  const uri = `http://127.0.0.1:${port}`;
  const scratch = join(folders.scratch, name);
  mkdirSync(scratch, { recursive: true });
  const jar = join(folders.installed, 'fixture/iceberg-open-api-1.10.1.jar');
  const running = await startHostProcess(folders, {
    name,
    command: 'java',
    args: [
      ...(folders.catalogJvm ?? ['-Xmx384m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1']),
      '-cp',
      database === undefined ? jar : `${jar}:${database.driver}`,
      'org.apache.iceberg.rest.RESTCatalogServer',
    ],
    env: {
      ...fixtureEnvironment(store, store.endpoint, join(scratch, 'catalog.db'), port),
      ...(database && {
        CATALOG_URI: database.uri,
        CATALOG_JDBC_USER: database.user,
        CATALOG_JDBC_PASSWORD: database.password,
      }),
    },
    ready: () => answers(`${uri}/v1/config`),
  });
  return warmedUp(uri, store, running);
}

/** `storeEndpoint` is where the container finds the store on their network. */
export async function restFixtureInContainer(
  folders: Folders,
  network: ContainerNetwork,
  name: string,
  store: StoreService,
  storeEndpoint: string,
): Promise<Running<CatalogService>> {
  const running = await startContainer(folders, network, {
    name,
    image: process.env['ICEBERG_REST_FIXTURE_IMAGE'] ?? 'apache/iceberg-rest-fixture:1.10.1',
    port: 8181,
    environment: fixtureEnvironment(store, storeEndpoint, '/tmp/catalog.db', 8181),
    readyPath: '/v1/config',
  });
  return warmedUp(running.endpoint, store, running);
}

/** The first table of a fixture takes seconds, since its S3 client starts with it: nobody's test pays for that. */
async function warmedUp(
  uri: string,
  store: StoreService,
  running: { stop(): Promise<void> },
): Promise<Running<CatalogService>> {
  await post(`${uri}/v1/namespaces`, { namespace: ['warm_up'] });
  await post(`${uri}/v1/namespaces/warm_up/tables`, {
    name: 'first',
    schema: { type: 'struct', fields: [{ id: 1, name: 'id', type: 'long', required: false }] },
  });
  return { service: { uri, store }, stop: running.stop };
}

async function post(url: string, body: unknown): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`Cannot warm up "${url}": ${response.status} ${await response.text()}`);
}
