import { join } from 'node:path';
import { type ContainerNetwork, startContainer } from './container.ts';
import { createBucket } from './create-bucket.ts';
import { freePort } from './free-ports.ts';
import { startHostProcess } from './host-process.ts';
import { NeverReady } from './ready.ts';
import { bucket, type Folders, type Running, type StoreService } from './service.ts';

const settings = {
  // The last three for the CDK's bootstrap and deploy.
  SERVICES: 's3,sqs,events,cloudformation,sts,iam,ssm',
  EAGER_SERVICE_LOADING: '1',
  STRICT_SERVICE_LOADING: '1',
  DISABLE_EVENTS: '1',
  SKIP_SSL_CERT_DOWNLOAD: '1',
  AWS_DEFAULT_REGION: 'us-east-1',
};

export async function localstackOnHost(folders: Folders): Promise<Running<StoreService>> {
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const running = await startHostProcess(folders, {
    name: 'localstack',
    command: join(folders.installed, 'localstack/bin/python'),
    args: ['-m', 'localstack.runtime.main'],
    env: {
      ...settings,
      GATEWAY_LISTEN: `127.0.0.1:${port}`,
      LOCALSTACK_HOST: `127.0.0.1:${port}`,
      SQS_ENDPOINT_STRATEGY: 'path',
      DNS_ADDRESS: '0',
      FILESYSTEM_ROOT: join(folders.scratch, 'localstack'),
    },
    ready: () => healthy(endpoint),
  });
  return withBucket(endpoint, running);
}

export async function localstackInContainer(
  folders: Folders,
  network: ContainerNetwork,
): Promise<Running<StoreService>> {
  const running = await startContainer(folders, network, {
    name: 'localstack',
    image: process.env['LOCALSTACK_IMAGE'] ?? 'localstack/localstack:4.14.0',
    port: 4566,
    // Queue URLs name the host and port that the request came to.
    environment: { ...settings, SQS_ENDPOINT_STRATEGY: 'dynamic' },
    readyPath: '/_localstack/health',
  });
  return withBucket(running.endpoint, running);
}

async function withBucket(
  endpoint: string,
  running: { stop(): Promise<void> },
): Promise<Running<StoreService>> {
  const service = {
    endpoint,
    region: 'us-east-1',
    accessKeyId: 'test',
    secretAccessKey: 'test',
    bucket,
  };
  await createBucket(service);
  return { service, stop: running.stop };
}

/** It answers while services are still loading, and for ever with "error" for one that never will. */
async function healthy(endpoint: string): Promise<boolean> {
  const response = await fetch(`${endpoint}/_localstack/health`, { signal: AbortSignal.timeout(2_000) });
  const { services } = (await response.json()) as { services: Record<string, string> };
  if (Object.values(services).includes('error')) throw new NeverReady(JSON.stringify(services));
  return ['s3', 'sqs'].every((name) => services[name] === 'running' || services[name] === 'available');
}
