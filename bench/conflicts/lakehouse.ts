import type { S3ClientConfig } from '@aws-sdk/client-s3';
import { startStack } from '../../local/stack.ts';
import { startServices } from '../../test/integration/services/services.ts';
import { storeSettings } from '../../test/integration/services/settings.ts';

/** A store and a catalog that answer over HTTP. */
export interface Lakehouse {
  readonly bucket: string;
  readonly store: S3ClientConfig;
  /** The registrar's configuration. */
  readonly settings: Readonly<Record<string, unknown>>;
  close(): Promise<void>;
}

/** The embedded stack, in this process. */
export async function startEmbedded(): Promise<Lakehouse> {
  const stack = await startStack();
  stack.createBucket('lake');
  const service = { endpoint: stack.s3Endpoint, region: stack.region, bucket: 'lake', ...stack.credentials };
  return { ...lakehouse(service, stack.catalogUri), close: () => stack.close() };
}

/** Apache's REST fixture over SeaweedFS. @throws Error when one of them does not start */
export async function startFixture(): Promise<Lakehouse> {
  const { services, notRun, stop } = await startServices({ want: ['seaweedfsCatalog'] });
  const catalog = services.seaweedfsCatalog;
  if (catalog === undefined) {
    await stop({ keepLogs: true });
    throw new Error(`Cannot start the fixture: ${Object.values(notRun).join('; ')}`);
  }
  return { ...lakehouse(catalog.store, catalog.uri), close: () => stop({ keepLogs: false }) };
}

function lakehouse(service: Parameters<typeof storeSettings>[0], catalogUri: string) {
  const { endpoint, region, bucket, accessKeyId, secretAccessKey } = service;
  return {
    bucket,
    store: { endpoint, region, credentials: { accessKeyId, secretAccessKey }, forcePathStyle: true },
    settings: {
      url: `s3://${bucket}/in`,
      namespace: 'storm',
      catalog_uri: catalogUri,
      create_table: true,
      store: storeSettings(service),
    },
  };
}
