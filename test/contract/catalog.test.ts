import { systemClock, systemRandom, systemTimers } from '../../lib/drivers/platform.ts';
import { restCatalog } from '../../lib/drivers/rest-catalog/rest-catalog.ts';
import { s3Store } from '../../lib/drivers/s3.ts';
import { type StackOptions, startStack } from '../../local/stack.ts';
import { fakeCatalog } from '../fakes/catalog.ts';
import { seededRandom } from '../fakes/random.ts';
import { fakeStore } from '../fakes/store.ts';
import { virtualTime } from '../fakes/time.ts';
import { catalogContract } from './catalog-contract.ts';
import type { CatalogSubject } from './catalog-table.ts';
import type { Made } from './contract.ts';

catalogContract('fakeCatalog', async () => {
  const { clock } = virtualTime();
  const store = fakeStore(clock);
  const catalog = fakeCatalog(store, clock, seededRandom());
  await catalog.createNamespace(['contract']);
  return {
    subject: {
      catalog,
      namespace: ['contract'],
      location: 's3://lake/contract',
      writeFile: async (uri, bytes) => {
        store.upload(uri, bytes);
      },
    },
    close: async () => catalog.tables.close(),
  };
});

async function onStack(options: StackOptions): Promise<Made<CatalogSubject>> {
  const stack = await startStack(options);
  const store = s3Store({
    endpoint: stack.s3Endpoint,
    access_key_id: stack.credentials.accessKeyId,
    secret_access_key: stack.credentials.secretAccessKey,
  });
  const catalog = restCatalog(
    {
      catalog_uri: stack.catalogUri,
      ...(options.catalog?.token !== undefined && { catalog_token: options.catalog.token }),
      retry: { initial_ms: 10, max_ms: 100, jitter: 1 },
    },
    { clock: systemClock, timers: systemTimers, random: systemRandom },
  );
  await catalog.createNamespace(['contract']);
  return {
    subject: {
      catalog,
      namespace: ['contract'],
      location: 's3://warehouse/contract',
      writeFile: async (uri, bytes) => {
        await store.write(uri, bytes);
      },
    },
    close: stack.close,
  };
}

catalogContract('restCatalog on the embedded catalog', () => onStack({}));

catalogContract('restCatalog on the embedded catalog with a prefix and a token', () =>
  onStack({ catalog: { prefix: 'a/b', token: 'a-bearer-token' } }),
);
