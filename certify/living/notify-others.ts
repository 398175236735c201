import { setTimeout as sleep } from 'node:timers/promises';
import { s3Store } from '../../lib/drivers/s3.ts';
import { storeSettings } from '../../test/integration/services/settings.ts';
import { type Fleet, notify, type Shipped } from '../../test/soak/fleet.ts';
import { type Lake, url } from '../../test/soak/lake.ts';

const EVERY_MS = 3_000;

/**
 * Tells the registrar of every object below its url that no shipper uploaded, as a bucket's notifications do: the data files, manifests and
 * metadata of all who write the table (I11). Until the signal ends it, and once more then. Answers how many Parquet files there were.
 */
export async function notifyOthers(
  lake: Lake,
  fleet: Pick<Fleet, 'shipped'>,
  signal: AbortSignal,
): Promise<number> {
  const { store: service } = lake.catalog;
  const store = s3Store(storeSettings(service));
  const told = new Set<string>();
  let files = 0;
  for (let last = false; !last; ) {
    last = signal.aborted;
    const listed = await Array.fromAsync(store.list(`${url}/`));
    const shipped = new Set(fleet.shipped.map(({ key }) => key));
    const objects = listed
      .map(({ uri, sizeBytes, version }): Shipped => {
        return { key: uri.slice(`s3://${service.bucket}/`.length), sizeBytes, etag: version };
      })
      // What was uploaded while the list was made is the shipper's, too: it is in no table folder.
      .filter(({ key }) => !told.has(key) && !shipped.has(key) && /\/(data|metadata)\//.test(key));
    for (const { key } of objects) told.add(key);
    files += objects.filter(({ key }) => key.endsWith('.parquet')).length;
    await notify(lake, 'arrivals', objects);
    if (!last) await sleep(EVERY_MS, undefined, { signal }).catch(() => {});
  }
  return files;
}
