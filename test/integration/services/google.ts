import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts } from './free-ports.ts';
import { startHostProcess } from './host-process.ts';
import { answers } from './ready.ts';
import { bucket, type Folders, type GoogleService, type Running } from './service.ts';

const project = 'tests';

/** fake-gcs-server, which sends Pub/Sub notifications; Pub/Sub; and Apache's REST fixture, whose tables lie in that storage. */
export async function googleOnHost(folders: Folders): Promise<Running<GoogleService>> {
  const [storage, pubsub, grpc, catalog] = await freePorts(4);
  const storageEndpoint = `http://127.0.0.1:${storage}`;
  const pubsubEndpoint = `http://127.0.0.1:${pubsub}`;
  const catalogUri = `http://127.0.0.1:${catalog}`;
  const scratch = join(folders.scratch, 'google');
  mkdirSync(scratch, { recursive: true });
  const installed = (file: string) => join(folders.installed, file);
  const running = await Promise.all([
    startHostProcess(folders, {
      name: 'pubsub',
      command: installed('google/pubsub-emulator'),
      args: ['-http', `127.0.0.1:${pubsub}`, '-grpc-port', String(grpc)],
      // It answers 501 to what it does not know: it is there.
      ready: async () => (await fetch(pubsubEndpoint)).status === 501,
    }),
    startHostProcess(folders, {
      name: 'fake-gcs-server',
      command: installed('google/fake-gcs-server'),
      args: [
        ...['-backend', 'memory', '-scheme', 'http', '-host', '127.0.0.1', '-port', String(storage)],
        ...['-public-host', `127.0.0.1:${storage}`, '-log-level', 'warn'],
      ],
      env: { PUBSUB_EMULATOR_HOST: `localhost:${grpc}` },
      ready: () => answers(`${storageEndpoint}/_internal/healthcheck`),
    }),
    startHostProcess(folders, {
      name: 'googleCatalog',
      command: 'java',
      args: [
        ...['-Xmx384m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'],
        ...['-cp', installed('fixture/iceberg-open-api-1.10.1.jar')],
        'org.apache.iceberg.rest.RESTCatalogServer',
      ],
      env: {
        CATALOG_URI: `jdbc:sqlite:${join(scratch, 'catalog.db')}?busy_timeout=60000&journal_mode=WAL`,
        CATALOG_JDBC_USER: 'user',
        CATALOG_JDBC_PASSWORD: 'password',
        CATALOG_WAREHOUSE: `gs://${bucket}/warehouse`,
        CATALOG_IO__IMPL: 'org.apache.iceberg.gcp.gcs.GCSFileIO',
        CATALOG_GCS_SERVICE_HOST: storageEndpoint,
        CATALOG_GCS_NO__AUTH: 'true',
        CATALOG_GCS_PROJECT__ID: project,
        CATALOG_REST_PORT: String(catalog),
      },
      ready: () => answers(`${catalogUri}/v1/config`),
    }),
  ]);
  const service = { project, storageEndpoint, bucket, pubsubEndpoint, catalogUri };
  await createGoogleBucket(service, bucket);
  return {
    service,
    stop: async () => {
      await Promise.all(running.map((one) => one.stop()));
    },
  };
}

export async function createGoogleBucket(
  { storageEndpoint, project: ofProject }: Pick<GoogleService, 'storageEndpoint' | 'project'>,
  name: string,
): Promise<void> {
  const response = await fetch(`${storageEndpoint}/storage/v1/b?project=${ofProject}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  });
  if (!response.ok) throw new Error(`Cannot create the bucket "${name}": ${await response.text()}`);
}
