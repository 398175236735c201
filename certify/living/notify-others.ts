import { setTimeout as sleep } from 'node:timers/promises';
import { s3Store } from '../../lib/drivers/s3.ts';
import { storeSettings } from '../../test/integration/services/settings.ts';
import { type Fleet, notify, type Shipped } from '../../test/soak/fleet.ts';
import { type Lake, url } from '../../test/soak/lake.ts';

const EVERY_MS = 3_000;

/**
 * Notifies the registrar of every object below its url that no shipper uploaded, as a bucket would: the data files, manifests and metadata
 * of all writers of the table (I11). Repeats this until the signal aborts, and once more then. Returns the number of Parquet files.
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
      // An object that was uploaded during the listing is the shipper's too: it is not in a table folder.
      .filter(({ key }) => !told.has(key) && !shipped.has(key) && /\/(data|metadata)\//.test(key));
    for (const { key } of objects) told.add(key);
    files += objects.filter(({ key }) => key.endsWith('.parquet')).length;
    await notify(lake, 'arrivals', objects);
    if (!last) await sleep(EVERY_MS, undefined, { signal }).catch(() => {});
  }
  return files;
}
