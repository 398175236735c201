import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import type { GenericContainer, StartedNetwork, StartedTestContainer } from 'testcontainers';
import type { Folders } from './service.ts';

export interface ContainerCommand {
  /** The container's host name on the network that the containers of one run share. */
  readonly name: string;
  readonly image: string;
  readonly port: number;
  readonly otherPorts?: readonly number[];
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  /** What answers 200 once the service is ready; without it, it is ready when it listens on `port`. */
  readonly readyPath?: string;
  /** @default port */
  readonly readyPort?: number;
}

/** It ends with its network, or before. */
export interface StartedContainer {
  readonly endpoint: string;
  endpointOf(port: number): string;
  /** Its address on the network of the run: on Linux, one and the same from other containers and from here. */
  readonly address: string;
  stop(): Promise<void>;
}

/** Whether a container engine answers; a matter of milliseconds where none does. */
export async function engineAnswers(): Promise<boolean> {
  const { getContainerRuntimeClient } = await import('testcontainers');
  return getContainerRuntimeClient().then(
    () => true,
    () => false,
  );
}

/** A network for the containers of one run; they reach each other by name on it, where the engine has a name server, and by address. */
export interface ContainerNetwork {
  readonly network: StartedNetwork;
  /** What was started on it, ready or not. */
  readonly containers: Set<StartedTestContainer>;
  /** Ends what still runs, then the network. */
  stop(): Promise<void>;
}

export async function startNetwork(): Promise<ContainerNetwork> {
  const { Network } = await import('testcontainers');
  const network = await new Network().start();
  const containers = new Set<StartedTestContainer>();
  return {
    network,
    containers,
    stop: async () => {
      await Promise.all([...containers].map((container) => container.stop()));
      await network.stop();
    },
  };
}

/** Starts a container and waits until it is ready; its output goes to `logs/<name>.log`. */
export async function startContainer(
  folders: Folders,
  network: ContainerNetwork,
  container: ContainerCommand,
): Promise<StartedContainer> {
  const { Wait } = await import('testcontainers');
  const { readyPath, readyPort = container.port } = container;
  const ports = new Set([container.port, readyPort, ...(container.otherPorts ?? [])]);
  const started = await (await prepared(folders, network, container))
    .withExposedPorts(...ports)
    .withWaitStrategy(readyPath === undefined ? Wait.forListeningPorts() : Wait.forHttp(readyPath, readyPort))
    .start();
  network.containers.add(started);
  const endpointOf = (port: number) => `http://${started.getHost()}:${started.getMappedPort(port)}`;
  return {
    endpoint: endpointOf(container.port),
    endpointOf,
    address: started.getIpAddress(network.network.getName()),
    stop: async () => {
      network.containers.delete(started);
      await started.stop();
    },
  };
}

/** Runs a container that ends by itself, as those do that prepare a database. @throws Error when it fails */
export async function runContainer(
  folders: Folders,
  network: ContainerNetwork,
  container: Omit<ContainerCommand, 'port' | 'otherPorts' | 'readyPath' | 'readyPort'>,
): Promise<void> {
  const { Wait } = await import('testcontainers');
  const ended = await (await prepared(folders, network, container))
    .withWaitStrategy(Wait.forOneShotStartup())
    .start();
  await ended.stop();
}

async function prepared(
  folders: Folders,
  network: ContainerNetwork,
  container: Pick<ContainerCommand, 'name' | 'image' | 'command' | 'environment' | 'files'>,
): Promise<GenericContainer> {
  const { GenericContainer } = await import('testcontainers');
  const log = createWriteStream(join(folders.logs, `${container.name}.log`));
  const generic = new GenericContainer(container.image)
    .withNetwork(network.network)
    .withNetworkAliases(container.name)
    .withEnvironment({ ...container.environment })
    .withCopyContentToContainer(
      Object.entries(container.files ?? {}).map(([target, content]) => ({ target, content })),
    )
    .withLogConsumer((stream) => stream.pipe(log))
    .withStartupTimeout(180_000);
  return container.command === undefined ? generic : generic.withCommand([...container.command]);
}
