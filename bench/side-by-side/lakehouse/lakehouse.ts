import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { CatalogService, StoreService } from '../../../test/integration/services/service.ts';
import { startServices } from '../../../test/integration/services/services.ts';

export const NAMESPACE = 'bench';

/** Where catalog and store answer: themselves, or a proxy before each. */
export interface Endpoints {
  readonly catalogUri: string;
  readonly storeEndpoint: string;
}

/** SeaweedFS and Apache's REST fixture over it, empty but for a namespace. */
export interface Lakehouse extends Endpoints {
  readonly catalog: CatalogService;
  readonly store: StoreService;
  /** Writes an object of the bucket; answers its unquoted ETag. */
  put(uri: string, bytes: Uint8Array): Promise<string>;
  /** A request of the catalog's; its answer as JSON. @throws Error for any answer but 2xx */
  ask(method: 'GET' | 'POST', path: string, body?: string): Promise<unknown>;
  close(): Promise<void>;
}

/** @throws Error when one of the services does not start */
export async function startLakehouse(): Promise<Lakehouse> {
  const { services, notRun, stop } = await startServices({
    want: ['seaweedfsCatalog'],
    // Else the JVM's own defaults: what a catalog takes is in every figure, and its compiler is not to be held back.
    catalogJvm: ['-Xmx1g'],
  });
  const catalog = services.seaweedfsCatalog;
  if (catalog === undefined) {
    await stop({ keepLogs: true });
    throw new Error(`Cannot start the lakehouse: ${Object.values(notRun).join('; ')}`);
  }
  const { store, uri } = catalog;
  const { endpoint, region, accessKeyId, secretAccessKey } = store;
  const s3 = new S3Client({
    endpoint,
    region,
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle: true,
  });
  const ask: Lakehouse['ask'] = async (method, path, body) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${uri}/v1/${path}`, { method, headers, ...(body !== undefined && { body }) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`Cannot ${method} "${path}": ${answer.status} ${text.slice(0, 500)}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  await ask('POST', 'namespaces', JSON.stringify({ namespace: [NAMESPACE] }));
  return {
    catalog,
    store,
    catalogUri: uri,
    storeEndpoint: endpoint,
    async put(uri, bytes) {
      const key = uri.slice(`s3://${store.bucket}/`.length);
      const { ETag = '' } = await s3.send(
        new PutObjectCommand({ Bucket: store.bucket, Key: key, Body: bytes }),
      );
      return ETag.replaceAll('"', '');
    },
    ask,
    async close() {
      s3.destroy();
      await stop({ keepLogs: false });
    },
  };
}
