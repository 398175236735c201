import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import type { StartedNetwork } from 'testcontainers';
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
  readonly readyPath: string;
}

/** Whether a container engine answers; a matter of milliseconds where none does. */
export async function engineAnswers(): Promise<boolean> {
  const { getContainerRuntimeClient } = await import('testcontainers');
  return getContainerRuntimeClient().then(
    () => true,
    () => false,
  );
}

/** A network for the containers of one run; they reach each other by name on it. */
export async function startNetwork(): Promise<StartedNetwork> {
  const { Network } = await import('testcontainers');
  return new Network().start();
}

/** Starts a container and waits until `readyPath` answers 200; its output goes to `logs/<name>.log`. */
export async function startContainer(
  folders: Folders,
  network: StartedNetwork,
  container: ContainerCommand,
): Promise<{ readonly endpoint: string; endpointOf(port: number): string; stop(): Promise<void> }> {
  const { GenericContainer, Wait } = await import('testcontainers');
  const log = createWriteStream(join(folders.logs, `${container.name}.log`));
  const prepared = new GenericContainer(container.image)
    .withNetwork(network)
    .withNetworkAliases(container.name)
    .withExposedPorts(container.port, ...(container.otherPorts ?? []))
    .withEnvironment({ ...container.environment })
    .withCopyContentToContainer(
      Object.entries(container.files ?? {}).map(([target, content]) => ({ target, content })),
    )
    .withLogConsumer((stream) => stream.pipe(log))
    .withStartupTimeout(180_000)
    .withWaitStrategy(Wait.forHttp(container.readyPath, container.port));
  if (container.command !== undefined) prepared.withCommand([...container.command]);
  const started = await prepared.start();
  const endpointOf = (port: number) => `http://${started.getHost()}:${started.getMappedPort(port)}`;
  return {
    endpoint: endpointOf(container.port),
    endpointOf,
    stop: async () => {
      await started.stop();
    },
  };
}
