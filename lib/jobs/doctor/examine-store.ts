import type { Entry } from '../../config/entry.ts';
import { counted } from '../../counted.ts';
import { referenceTo } from '../../event/segment-reference.ts';
import type { Clock } from '../../ports.ts';
import { layoutRouter } from '../../route/layout.ts';
import { withoutEndSlashes } from '../../spec/object-uri.ts';
import type { EntryPorts } from '../register/register-ports.ts';
import { type Check, type Finding, type Found, failed, notChecked, ok, warning } from './finding.ts';

/** The clock difference that the proof of absence allows for (docs/exactly-once.md). AWS refuses signatures beyond it. */
const MOST_SKEW_MS = 15 * 60_000;
const NOTABLE_SKEW_MS = 60_000;

/** How many objects are looked at for one that is a segment. */
const LOOKED_AT = 10_000;

export async function examineSegments(entry: Entry, { store }: EntryPorts): Promise<Found> {
  const { url } = entry;
  const quarantine = `${withoutEndSlashes(entry.quarantine_url)}/`;
  const routeOf = layoutRouter([entry]);
  let first: string | undefined;
  let looked = 0;
  for await (const { uri } of store.list(`${url}/`)) {
    if (looked === LOOKED_AT) break;
    looked += 1;
    if (uri.startsWith(quarantine)) continue;
    first ??= uri;
    const reference = referenceTo(uri);
    if (reference === undefined || routeOf(reference).kind !== 'table') continue;
    const read = await store.read(uri, { range: { suffix: 8 } });
    if (read.kind !== 'denied') return ok(`objects below ${url} can be listed and read`);
    return failed(`"${uri}" is denied: ${read.message}`, 'allow the role s3:GetObject below url');
  }
  return first === undefined
    ? warning(`${url} can be listed and is empty`, 'check url if segments were shipped already')
    : warning(
        `no key of ${counted(looked, 'object')} below ${url} leads to a table, such as "${first}"`,
        'check layout, pipeline and from',
      );
}

export async function examineQuarantine(
  { quarantine_url }: Entry,
  { quarantine, store }: EntryPorts,
  clock: Clock,
  look: (check: Check, examination: () => Promise<Found>) => Promise<Omit<Finding, 'entry'>>,
): Promise<readonly Omit<Finding, 'entry'>[]> {
  let written: string | undefined;
  const writable = await look('quarantine', async () => {
    written = await quarantine.put({
      v: 1,
      kind: 'discarded',
      at: new Date(clock.now()).toISOString(),
      message: 'Written by doctor to see whether it can be',
      answers: `${withoutEndSlashes(quarantine_url)}/_doctor/nothing.json`,
    });
    return ok(`${quarantine_url} can be written`);
  });
  const time = await look('clock', async () => {
    if (written === undefined) return notChecked('nothing could be written');
    const read = await store.read(written);
    if (read.kind !== 'object') return notChecked(`what was written cannot be read: ${read.kind}`);
    const skewMs = Math.abs(read.lastModifiedMs - clock.now());
    const found = `this clock and the store's are ${Math.round(skewMs / 1000)} s apart`;
    if (skewMs > MOST_SKEW_MS) return failed(found, 'set the clock by NTP');
    return skewMs > NOTABLE_SKEW_MS ? warning(found, 'set the clock by NTP') : ok(found);
  });
  return [writable, time];
}
