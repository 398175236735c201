import type { SegmentReference } from '../../lib/event/segment-reference.ts';
import { register } from '../../lib/jobs/register/register.ts';
import type { Log, Store } from '../../lib/ports.ts';
import { wire } from '../../lib/wire.ts';
import type { Dataset } from '../../local/shipper/dataset.ts';
import type { Fleet } from './fleet.ts';
import type { Lake } from './lake.ts';

/** When the commits of an aged table were made, in minutes before the soak. No gap is longer than history is kept. */
const COMMITTED_MINUTES_AGO = [120, 90, 60, 30, 10];
const SEGMENTS_A_COMMIT = 2;

/** Keys and how long before now each was uploaded, by anybody's account. */
export type UploadedEarlier = ReadonlyMap<string, number>;

/**
 * Gives tables two hours of history: their first segments are registered by the registrar's own code with a clock, and a store's
 * Last-Modified, that lie back. A soak lasts minutes, and what maintenance expires is older than that.
 */
export async function makeAgedTables(
  lake: Lake,
  fleet: Fleet,
  datasets: readonly Dataset[],
): Promise<UploadedEarlier> {
  const { catalog } = lake;
  const earlier = new Map<string, number>();
  const wiring = await wire(lake.environment(catalog.uri, catalog.store.endpoint));
  const quiet: Log = { ...wiring.log, info() {} };

  for (const minutes of COMMITTED_MINUTES_AGO) {
    const agoMs = minutes * 60_000;
    for (const dataset of datasets) {
      const references: SegmentReference[] = [];
      for (let n = 0; n < SEGMENTS_A_COMMIT; n += 1) {
        const { key } = await fleet.ship(dataset);
        earlier.set(key, agoMs);
        references.push({ scheme: 's3', bucket: catalog.store.bucket, key });
      }
      const back = {
        ...wiring,
        log: quiet,
        clock: { now: () => Date.now() - agoMs },
        portsOf: (entry: Parameters<typeof wiring.portsOf>[0]) => {
          const ports = wiring.portsOf(entry);
          return { ...ports, store: uploadedEarlier(ports.store, agoMs) };
        },
      };
      const { outcomes } = await register(references, back, () => 60_000);
      const failed = outcomes.find(({ kind }) => kind !== 'committed');
      if (failed !== undefined)
        throw new Error(`Cannot age "${dataset.name}": a segment is ${JSON.stringify(failed)}`);
    }
  }
  return earlier;
}

function uploadedEarlier(store: Store, agoMs: number): Store {
  return {
    ...store,
    async read(uri, options) {
      const read = await store.read(uri, options);
      return read.kind === 'object' ? { ...read, lastModifiedMs: read.lastModifiedMs - agoMs } : read;
    },
  };
}
