import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ContainerNetwork, startContainer } from './container.ts';
import { freePorts } from './free-ports.ts';
import { startHostProcess } from './host-process.ts';
import { answers, untilReady } from './ready.ts';
import { credentials, identities, role, rolesFor } from './seaweedfs.ts';
import { bucket, type CatalogService, type Folders, type Running } from './service.ts';

const warehouse = 'tables';

/** The catalog hands out this role's credentials, each narrowed to one table's location. */
const roles = rolesFor({ Federated: 'iceberg-catalog' }, 'sts:AssumeRoleWithCredentials');

/** Store and Iceberg catalog in one process; its table bucket takes metadata files, and segments lie in a bucket beside it. */
const settings = [
  '-master.telemetry=false',
  '-volume.preStopSeconds=0',
  '-webdav=false',
  '-admin.ui=false',
  '-metricsPort=0',
  '-s3.port.lance=0',
  `-bucket=${bucket}`,
  `-tableBucket=${warehouse}`,
  `-s3.iceberg.credentialRole=${role}`,
];

export async function seaweedfsCatalogOnHost(folders: Folders): Promise<Running<CatalogService>> {
  const [s3, iceberg, ...others] = await freePorts(12);
  const scratch = join(folders.scratch, 'seaweedfs-catalog');
  mkdirSync(join(scratch, 'data'), { recursive: true });
  writeFileSync(join(scratch, 's3.json'), identities);
  writeFileSync(join(scratch, 'iam.json'), roles);
  const ports = ['master', 'volume', 'filer', 'admin'].flatMap((part, index) => [
    `-${part}.port=${others[2 * index]}`,
    `-${part}.port.grpc=${others[2 * index + 1]}`,
  ]);
  const running = await startHostProcess(folders, {
    name: 'seaweedfs-catalog',
    command: join(folders.installed, 'seaweedfs/bin/weed'),
    args: [
      'mini',
      `-dir=${scratch}/data`,
      '-ip=127.0.0.1',
      '-ip.bind=127.0.0.1',
      ...settings,
      ...ports,
      `-s3.port=${s3}`,
      `-s3.port.grpc=${others[8]}`,
      `-s3.port.iceberg=${iceberg}`,
      `-s3.config=${scratch}/s3.json`,
      `-s3.iam.config=${scratch}/iam.json`,
    ],
    ready: () => answers(`http://127.0.0.1:${s3}/healthz`),
  });
  return authorized(`http://127.0.0.1:${s3}`, `http://127.0.0.1:${iceberg}`, running);
}

export async function seaweedfsCatalogInContainer(
  folders: Folders,
  network: ContainerNetwork,
): Promise<Running<CatalogService>> {
  const running = await startContainer(folders, network, {
    name: 'seaweedfs-catalog',
    image: process.env['SEAWEEDFS_IMAGE'] ?? 'chrislusf/seaweedfs:4.48',
    port: 8333,
    otherPorts: [8181],
    command: [
      'mini',
      '-dir=/data',
      '-ip.bind=0.0.0.0',
      ...settings,
      '-s3.port=8333',
      '-s3.port.iceberg=8181',
      '-s3.config=/etc/s3.json',
      '-s3.iam.config=/etc/iam.json',
    ],
    files: { '/etc/s3.json': identities, '/etc/iam.json': roles },
    readyPath: '/healthz',
  });
  return authorized(running.endpoint, running.endpointOf(8181), running);
}

/** With a bearer token as OAuth2's client credentials give it: it lasts an hour, longer than any run. */
async function authorized(
  endpoint: string,
  uri: string,
  running: { stop(): Promise<void> },
): Promise<Running<CatalogService>> {
  const { accessKeyId, secretAccessKey } = credentials;
  let token = '';
  await untilReady(
    'seaweedfs-catalog',
    async () => {
      const response = await fetch(`${uri}/v1/oauth/tokens`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'client_credentials',
          client_id: accessKeyId,
          client_secret: secretAccessKey,
        }),
      });
      const answer = (await response.json()) as { readonly access_token?: string };
      token = answer.access_token ?? '';
      if (!response.ok || token === '') return false;
      // The table bucket is made after the ports are open.
      const namespaces = await fetch(`${uri}/v1/${warehouse}/namespaces`, {
        headers: { authorization: `Bearer ${token}` },
      });
      return namespaces.ok;
    },
    { timeoutMs: 60_000 },
  );
  const store = { endpoint, region: 'us-east-1', ...credentials, bucket };
  return { service: { uri, store, warehouse, token }, stop: running.stop };
}
