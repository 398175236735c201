import { expect, test } from 'vitest';
import { lostCommits } from '../../../lib/jobs/lost-commits.ts';
import { wire } from '../../../lib/wire.ts';
import { optional, schema } from '../../../local/shipper/schema-notation.ts';
import { restore } from '../../jobs/restored-catalog.ts';
import { openLake } from '../schema/lake.ts';
import { describeWith } from '../services/describe-with.ts';
import { storeSettings } from '../services/settings.ts';

const shipped = schema(optional(1, 'id', 'int'));

describeWith('a restored catalog, on Apache’s fixture', ['seaweedfsCatalog'], ({ seaweedfsCatalog }) => {
  test('is told by the metadata files that its lost commits left', async () => {
    const lake = await openLake(seaweedfsCatalog);
    const services = await servicesOf(lake.url);
    const lost = async () => lostCommits(lake.table, await lake.state(), services);
    await lake.ship(shipped, [{ id: 1 }]);
    const backup = (await lake.state()).metadataLocation ?? '';
    await lake.ship(shipped, [{ id: 2 }]);
    await lake.ship(shipped, [{ id: 3 }]);
    const newest = (await lake.state()).metadataLocation;
    expect(await lost()).toBeUndefined();

    const [namespace = ''] = lake.table.namespace;
    await restore(`${seaweedfsCatalog.uri}/v1`, { namespace, name: lake.table.name }, backup);
    expect((await lake.state()).snapshots.size).toBe(1);
    expect(await lost()).toEqual({ metadataLocation: newest, snapshots: 2, registrations: 2 });
  });

  async function servicesOf(url: string) {
    const { entries, portsOf } = await wire({
      REGISTRAR_CONFIG: JSON.stringify({
        url,
        catalog_uri: seaweedfsCatalog.uri,
        namespace: 'any',
        store: storeSettings(seaweedfsCatalog.store),
      }),
    });
    const [entry] = entries;
    if (entry === undefined) throw new Error('the configuration has no entry');
    return portsOf(entry);
  }
});
