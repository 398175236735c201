import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ContainerNetwork, startContainer } from './container.ts';
import { createBucket } from './create-bucket.ts';
import { freePorts } from './free-ports.ts';
import { startHostProcess } from './host-process.ts';
import { answers } from './ready.ts';
import { bucket, type Folders, type Running, type StoreService } from './service.ts';

export const credentials = { accessKeyId: 'seaweed-key', secretAccessKey: 'seaweed-secret' };
/** Somebody who may read and list everything, and write nothing. */
export const reader = { accessKeyId: 'reader-key', secretAccessKey: 'reader-secret' };
export const identities = JSON.stringify({
  identities: [
    {
      name: 'tests',
      credentials: [{ accessKey: credentials.accessKeyId, secretKey: credentials.secretAccessKey }],
      actions: ['Admin', 'Read', 'Write', 'List', 'Tagging'],
    },
    {
      name: 'reader',
      credentials: [{ accessKey: reader.accessKeyId, secretKey: reader.secretAccessKey }],
      actions: ['Read', 'List'],
    },
  ],
});

export const role = 'arn:aws:iam::000000000000:role/tables';
/** The file of its STS: a role that may do everything, for those who narrow it down as they assume it. */
export function rolesFor(principal: unknown, action: string): string {
  return JSON.stringify({
    sts: {
      tokenDuration: '1h',
      maxSessionLength: '12h',
      issuer: 'seaweedfs',
      signingKey: Buffer.from('the signing key of one test run!').toString('base64'),
    },
    policy: { defaultEffect: 'Deny', storeType: 'memory' },
    policies: [
      {
        name: 'everything',
        document: {
          Version: '2012-10-17',
          Statement: [
            { Effect: 'Allow', Action: ['s3:*'], Resource: ['arn:aws:s3:::*', 'arn:aws:s3:::*/*'] },
          ],
        },
      },
    ],
    roles: [
      {
        roleName: 'tables',
        roleArn: role,
        attachedPolicies: ['everything'],
        trustPolicy: {
          Version: '2012-10-17',
          Statement: [{ Effect: 'Allow', Principal: principal, Action: [action] }],
        },
      },
    ],
  });
}
const roles = rolesFor('*', 'sts:AssumeRole');

/** No telemetry, no catalogs of its own, no bucket that nobody made. */
const settings = [
  '-master.telemetry=false',
  '-master.volumeSizeLimitMB=64',
  '-volume.max=64',
  '-volume.preStopSeconds=0',
  '-filer',
  '-s3',
  '-s3.port.iceberg=0',
  '-s3.port.lance=0',
  '-s3.autoCreateBucket=false',
];

export async function seaweedfsOnHost(folders: Folders): Promise<Running<StoreService>> {
  const ports = await freePorts(8);
  const [s3, s3Grpc, master, masterGrpc, volume, volumeGrpc, filer, filerGrpc] = ports;
  const scratch = join(folders.scratch, 'seaweedfs');
  mkdirSync(join(scratch, 'data'), { recursive: true });
  writeFileSync(join(scratch, 's3.json'), identities);
  writeFileSync(join(scratch, 'iam.json'), roles);
  const running = await startHostProcess(folders, {
    name: 'seaweedfs',
    command: join(folders.installed, 'seaweedfs/bin/weed'),
    args: [
      'server',
      `-dir=${scratch}/data`,
      '-ip=127.0.0.1',
      '-ip.bind=127.0.0.1',
      ...settings,
      `-master.port=${master}`,
      `-master.port.grpc=${masterGrpc}`,
      `-volume.port=${volume}`,
      `-volume.port.grpc=${volumeGrpc}`,
      `-filer.port=${filer}`,
      `-filer.port.grpc=${filerGrpc}`,
      `-filer.localSocket=${scratch}/filer.sock`,
      `-s3.port=${s3}`,
      `-s3.port.grpc=${s3Grpc}`,
      `-s3.localSocket=${scratch}/s3.sock`,
      `-s3.config=${scratch}/s3.json`,
      `-s3.iam.config=${scratch}/iam.json`,
    ],
    ready: () => answers(`http://127.0.0.1:${s3}/healthz`),
  });
  return withBucket(`http://127.0.0.1:${s3}`, running);
}

export async function seaweedfsInContainer(
  folders: Folders,
  network: ContainerNetwork,
): Promise<Running<StoreService>> {
  const running = await startContainer(folders, network, {
    name: 'seaweedfs',
    image: process.env['SEAWEEDFS_IMAGE'] ?? 'chrislusf/seaweedfs:4.48',
    port: 8333,
    command: [
      'server',
      '-dir=/data',
      '-ip.bind=0.0.0.0',
      ...settings,
      '-s3.config=/etc/s3.json',
      '-s3.iam.config=/etc/iam.json',
    ],
    files: { '/etc/s3.json': identities, '/etc/iam.json': roles },
    readyPath: '/healthz',
  });
  return withBucket(running.endpoint, running, `http://${running.address}:8333`);
}

async function withBucket(
  endpoint: string,
  running: { stop(): Promise<void> },
  networkEndpoint?: string,
): Promise<Running<StoreService>> {
  const service = {
    endpoint,
    region: 'us-east-1',
    ...credentials,
    bucket,
    role,
    ...(networkEndpoint !== undefined && { networkEndpoint }),
  };
  await createBucket(service);
  return { service, stop: running.stop };
}
