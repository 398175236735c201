import { randomUUID } from 'node:crypto';
import { systemClock, systemRandom, systemTimers } from '../../../lib/drivers/platform.ts';
import { restCatalog } from '../../../lib/drivers/rest-catalog/rest-catalog.ts';
import { s3Store } from '../../../lib/drivers/s3.ts';
import { catalogContract } from '../../contract/catalog-contract.ts';
import { describeWith } from '../services/describe-with.ts';
import type { CatalogService } from '../services/service.ts';
import { storeSettings } from '../services/settings.ts';

const subject =
  ({ uri, store }: CatalogService) =>
  async () => {
    const catalog = restCatalog(
      { catalog_uri: uri, retry: { initial_ms: 10, max_ms: 100, jitter: 1 } },
      { clock: systemClock, timers: systemTimers, random: systemRandom },
    );
    const namespace = [`contract_${randomUUID()}`];
    await catalog.createNamespace(namespace);
    const files = s3Store(storeSettings(store));
    return {
      subject: {
        catalog,
        namespace,
        location: `s3://${store.bucket}/${namespace[0]}`,
        writeFile: async (file: string, bytes: Uint8Array) => {
          await files.write(file, bytes);
        },
      },
    };
  };

const quirks = {
  'commit of an update or a requirement unknown to the catalog is invalid': 'the fixture answers 500',
  ...Object.fromEntries(
    ['["two","levels"]', '["dots.in","it"]', '["ü 日本","a b"]', '["percent%2E","plus+"]'].map((levels) => [
      `createNamespace makes ${levels}, level by level, and finds it the second time (D11)`,
      'the fixture joins levels with dots',
    ]),
  ),
};

describeWith('catalog contract', ['seaweedfsCatalog'], ({ seaweedfsCatalog }) => {
  catalogContract("restCatalog on Apache's fixture over SeaweedFS", subject(seaweedfsCatalog), quirks);
});

describeWith('catalog contract', ['localstackCatalog'], ({ localstackCatalog }) => {
  catalogContract("restCatalog on Apache's fixture over LocalStack", subject(localstackCatalog), quirks);
});
