import { afterAll, beforeAll, describe } from 'vitest';
import { type Stack, startStack } from '../../../local/stack.ts';
import { describeWith } from '../services/describe-with.ts';
import { bucket, type CatalogService } from '../services/service.ts';

/** One catalog that the rules are shown on. `name` tells apart what the catalogs are known to do differently. */
export interface CatalogUnderTest {
  readonly name: 'fixture' | 'seaweedfs' | 'embedded';
  readonly service: () => CatalogService;
}

/** The same tests on Apache's fixture, on SeaweedFS's catalog and on the embedded one. */
export function onEveryCatalog(tests: (catalog: CatalogUnderTest) => void): void {
  describeWith('Apache’s fixture', ['seaweedfsCatalog'], ({ seaweedfsCatalog }) =>
    tests({ name: 'fixture', service: () => seaweedfsCatalog }),
  );
  describeWith('SeaweedFS’s catalog', ['seaweedfsOwnCatalog'], ({ seaweedfsOwnCatalog }) =>
    tests({ name: 'seaweedfs', service: () => seaweedfsOwnCatalog }),
  );
  describe('the embedded catalog', () => {
    let stack: Stack;
    beforeAll(async () => {
      stack = await startStack();
      stack.createBucket(bucket);
    });
    afterAll(() => stack?.close());
    tests({
      name: 'embedded',
      service: () => ({
        uri: stack.catalogUri,
        store: { endpoint: stack.s3Endpoint, region: stack.region, ...stack.credentials, bucket },
      }),
    });
  });
}
