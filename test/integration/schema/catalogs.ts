import { afterAll, beforeAll, describe } from 'vitest';
import { type Stack, startStack } from '../../../local/stack.ts';
import { type Capability, shows } from '../services/capability.ts';
import { askedFor, type CatalogName, catalogs } from '../services/chosen.ts';
import { describeWith } from '../services/describe-with.ts';
import { bucket, type CatalogService } from '../services/service.ts';

/** One catalog that the rules are shown on. `name` tells apart what the catalogs are known to do differently. */
export interface CatalogUnderTest {
  readonly name: CatalogName | 'embedded';
  readonly service: () => CatalogService;
}

const titles: Readonly<Record<CatalogName, string>> = {
  fixture: 'Apache’s fixture',
  seaweedfs: 'SeaweedFS’s catalog',
  polaris: 'Polaris',
  lakekeeper: 'Lakekeeper',
  nessie: 'Nessie',
};

/** Of a table's snapshots, those that a catalog shows: Nessie the last one alone. */
export function shownBy<Snapshot>(
  name: CatalogUnderTest['name'],
  snapshots: readonly Snapshot[],
): readonly Snapshot[] {
  return name === 'nessie' ? snapshots.slice(-1) : snapshots;
}

/**
 * The same tests on Apache’s fixture, on SeaweedFS’s catalog and on the embedded one, or on the catalogs that this run is about.
 *
 * @param shown what they show of a catalog
 */
export function onEveryCatalog(
  tests: (catalog: CatalogUnderTest) => void,
  shown: Capability['name'] = 'evolution',
): void {
  const asked = askedFor();
  for (const name of asked.length > 0 ? asked : (['fixture', 'seaweedfs'] as const)) {
    const service = catalogs[name];
    describeWith(
      titles[name],
      [service],
      (services) => tests({ name, service: () => services[service] }),
      shows(name, shown),
    );
  }
  if (asked.length > 0) return;
  describe('the embedded catalog', shows('embedded', shown), () => {
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
