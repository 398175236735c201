import { randomUUID } from 'node:crypto';
import { systemClock, systemRandom, systemTimers } from '../../../lib/drivers/platform.ts';
import { restCatalog } from '../../../lib/drivers/rest-catalog/rest-catalog.ts';
import { s3Store } from '../../../lib/drivers/s3.ts';
import { catalogContract } from '../../contract/catalog-contract.ts';
import { shows } from '../services/capability.ts';
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
  'commit of a requirement that the catalog does not know is invalid': 'the fixture answers 500',
  'commit of an update that the catalog does not know is invalid': 'the fixture answers 500',
  'a namespace of two levels is not the one whose name has a dot (D11)': 'the fixture joins levels with dots',
};

describeWith(
  'catalog contract',
  ['seaweedfsCatalog'],
  ({ seaweedfsCatalog }) => {
    catalogContract("restCatalog on Apache's fixture over SeaweedFS", subject(seaweedfsCatalog), quirks);
  },
  shows('fixture', 'contract'),
);

describeWith(
  'catalog contract',
  ['localstackCatalog'],
  ({ localstackCatalog }) => {
    catalogContract("restCatalog on Apache's fixture over LocalStack", subject(localstackCatalog), quirks);
  },
  shows('fixture', 'contract'),
);
