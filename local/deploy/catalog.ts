import { randomUUID } from 'node:crypto';
import { s3Store } from '../../lib/drivers/s3.ts';
import { handleCatalog } from '../catalog/catalog-service.ts';
import { openTables } from '../catalog/tables.ts';
import { startHttpService } from '../http-service.ts';
import type { LocalStack } from './localstack.ts';

export interface LocalCatalog {
  readonly uri: string;
  close(): Promise<void>;
}

/** Starts the embedded REST catalog with its metadata files in LocalStack's S3, so that the configured catalog is not touched. */
export async function startCatalog({ store }: LocalStack, bucket: string): Promise<LocalCatalog> {
  const files = s3Store(store);
  const tables = openTables({
    database: ':memory:',
    warehouse: `s3://${bucket}/warehouse`,
    files: {
      async read(uri) {
        const read = await files.read(uri);
        return read.kind === 'object' ? read.bytes : undefined;
      },
      async write(uri, bytes) {
        await files.write(uri, bytes);
      },
    },
    now: Date.now,
    uuid: randomUUID,
  });
  const service = await startHttpService((request) => handleCatalog(tables, {}, request));
  return {
    uri: service.url,
    async close() {
      await service.close();
      tables.close();
    },
  };
}
