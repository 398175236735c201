import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ContainerNetwork, engineAnswers, startNetwork } from './container.ts';
import { googleOnHost } from './google.ts';
import { lakekeeperInContainer, lakekeeperOnHost } from './lakekeeper.ts';
import { localstackInContainer, localstackOnHost } from './localstack.ts';
import { nessieInContainer, nessieOnHost } from './nessie.ts';
import { polarisInContainer, polarisOnHost } from './polaris.ts';
import { restFixtureInContainer, restFixtureOnHost } from './rest-fixture.ts';
import { seaweedfsInContainer, seaweedfsOnHost } from './seaweedfs.ts';
import { seaweedfsCatalogInContainer, seaweedfsCatalogOnHost } from './seaweedfs-catalog.ts';
import type { CatalogService, Folders, GoogleService, Running, ServiceName, Services } from './service.ts';

const root = join(import.meta.dirname, '../../..');
export const installedFolder = process.env['SERVICES_DIR'] ?? join(root, '.services');

/** What came up, and why the rest did not. */
export interface StartedServices {
  readonly services: Partial<Services>;
  readonly notRun: Partial<Record<ServiceName, string>>;
  /** Ends every service by its own ID; the logs stay when `keepLogs`. */
  stop(options: { readonly keepLogs: boolean }): Promise<void>;
}

/**
 * Starts the wanted services, all at once: in containers where an engine answers, else as host processes of what
 * `.ci/setup` installs. `TEST_SERVICES=containers` or `host` forces one of them.
 * @throws Error under `CI=true` when one of them does not start
 */
export async function startServices(options: {
  readonly want: readonly ServiceName[];
  readonly catalogJvm?: readonly string[];
}): Promise<StartedServices> {
  const scratch = mkdtempSync(join(tmpdir(), 'iceberg-registrar-'));
  const folders: Folders = {
    installed: installedFolder,
    logs: join(installedFolder, 'logs', new Date().toISOString().replaceAll(':', '-')),
    scratch,
    ...(options.catalogJvm && { catalogJvm: options.catalogJvm }),
  };
  mkdirSync(folders.logs, { recursive: true });
  const network = (await inContainers()) ? await startNetwork() : undefined;
  const launch = network === undefined ? hostProcesses : containersOn(network);

  const stops: Array<() => Promise<void>> = [];
  const starting: Partial<Record<ServiceName, Promise<Running<unknown>>>> = {};
  const start = <Name extends ServiceName>(name: Name): Promise<Running<Services[Name]>> => {
    starting[name] ??= launch[name](folders, start).then((running) => {
      stops.push(running.stop);
      return running;
    });
    return starting[name] as Promise<Running<Services[Name]>>;
  };

  const services: Record<string, unknown> = {};
  const notRun: Partial<Record<ServiceName, string>> = {};
  await Promise.all(
    options.want.map(async (name) => {
      try {
        services[name] = (await start(name)).service;
      } catch (error) {
        notRun[name] = (error as Error).message;
      }
    }),
  );
  const stop = async ({ keepLogs }: { readonly keepLogs: boolean }) => {
    await Promise.all(stops.map((one) => one()));
    await network?.stop();
    rmSync(scratch, { recursive: true, force: true });
    if (!keepLogs) rmSync(folders.logs, { recursive: true, force: true });
  };
  if (process.env['CI'] === 'true' && Object.keys(notRun).length > 0) {
    await stop({ keepLogs: true });
    throw new Error(Object.values(notRun).join('\n'));
  }
  return { services: services as Partial<Services>, notRun, stop };
}

type Start = <Name extends ServiceName>(name: Name) => Promise<Running<Services[Name]>>;
type Launch = {
  readonly [Name in ServiceName]: (folders: Folders, start: Start) => Promise<Running<Services[Name]>>;
};

/** Catalogs that no package registry has: of a release that lies on this machine, which goes before an image. */
const releases = {
  polaris: ['POLARIS_HOME', 'the folder of its binary distribution', polarisOnHost],
  lakekeeper: ['LAKEKEEPER_BINARY', 'the path of its program', lakekeeperOnHost],
  nessie: ['NESSIE_JAR', 'the path of its runner', nessieOnHost],
} as const;

function released(name: keyof typeof releases) {
  const [variable, what, onHost] = releases[name];
  return async (folders: Folders, start: Start): Promise<Running<CatalogService>> => {
    const path = process.env[variable];
    if (path === undefined)
      throw new Error(`it needs a container engine, and none answers, or ${variable}, ${what}`);
    const { service } = await start('seaweedfs');
    return onHost(folders, path, service);
  };
}

const hostProcesses: Launch = {
  localstack: async (folders) => {
    await install('localstack');
    return localstackOnHost(folders);
  },
  seaweedfs: async (folders) => {
    await install('seaweedfs');
    return seaweedfsOnHost(folders);
  },
  localstackCatalog: async (folders, start) => {
    const [store] = await Promise.all([start('localstack'), install('fixture')]);
    return restFixtureOnHost(folders, 'localstackCatalog', store.service);
  },
  seaweedfsCatalog: async (folders, start) => {
    const [store] = await Promise.all([start('seaweedfs'), install('fixture')]);
    return restFixtureOnHost(folders, 'seaweedfsCatalog', store.service);
  },
  seaweedfsOwnCatalog: async (folders) => {
    await install('seaweedfs');
    return seaweedfsCatalogOnHost(folders);
  },
  google: startGoogle,
  polaris: released('polaris'),
  lakekeeper: released('lakekeeper'),
  nessie: released('nessie'),
};

/** A process wherever the rest runs: there is no image of the one that speaks Pub/Sub's REST API. */
async function startGoogle(folders: Folders): Promise<Running<GoogleService>> {
  await Promise.all([install('google'), install('fixture')]);
  return googleOnHost(folders);
}

type CatalogInContainer = typeof polarisInContainer;

function containersOn(network: ContainerNetwork): Launch {
  const onSeaweedfs = (catalog: CatalogInContainer) => async (folders: Folders, start: Start) => {
    const { service } = await start('seaweedfs');
    return catalog(folders, network, service, service.networkEndpoint ?? service.endpoint);
  };
  const either = (name: keyof typeof releases, catalog: CatalogInContainer) =>
    process.env[releases[name][0]] === undefined ? onSeaweedfs(catalog) : released(name);
  return {
    localstack: (folders) => localstackInContainer(folders, network),
    seaweedfs: (folders) => seaweedfsInContainer(folders, network),
    localstackCatalog: async (folders, start) => {
      const { service } = await start('localstack');
      return restFixtureInContainer(folders, network, 'localstackCatalog', service, 'http://localstack:4566');
    },
    seaweedfsCatalog: async (folders, start) => {
      const { service } = await start('seaweedfs');
      return restFixtureInContainer(
        folders,
        network,
        'seaweedfsCatalog',
        service,
        service.networkEndpoint ?? service.endpoint,
      );
    },
    seaweedfsOwnCatalog: (folders) => seaweedfsCatalogInContainer(folders, network),
    google: startGoogle,
    polaris: either('polaris', polarisInContainer),
    lakekeeper: either('lakekeeper', lakekeeperInContainer),
    nessie: either('nessie', nessieInContainer),
  };
}

async function inContainers(): Promise<boolean> {
  const choice = process.env['TEST_SERVICES'];
  if (choice === 'containers') return true;
  if (choice === 'host') return false;
  if (choice !== undefined)
    throw new Error(`Cannot start services: TEST_SERVICES is "${choice}", not containers or host`);
  return engineAnswers();
}

/** Runs `.ci/setup` for one component; it costs nothing when that is there already. */
export async function install(
  component:
    | 'seaweedfs'
    | 'localstack'
    | 'fixture'
    | 'google'
    | 'browser'
    | 'parquet'
    | 'readers'
    | 'engines'
    | 'spark'
    | 'trino'
    | 'flink'
    | 'postgresql'
    | 'peers',
): Promise<void> {
  await promisify(execFile)(join(root, '.ci/setup'), [component]);
}
