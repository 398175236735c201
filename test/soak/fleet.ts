import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import type { Dataset, Row } from '../../local/shipper/dataset.ts';
import type { Dice } from '../../local/shipper/dice.ts';
import { makeSegment } from '../../local/shipper/segment.ts';
import { s3Event } from '../integration/pipeline/s3-event.ts';
import { type Lake, sendAll, url } from './lake.ts';
import type { Count } from './readers.ts';
import { checksum, readings } from './readings.ts';

const [, , bucket = '', prefix = ''] = url.split('/');

/** An object that lies in the store, as its notification names it. */
export interface Shipped {
  readonly key: string;
  readonly sizeBytes: number;
  readonly etag: string;
}

/** A segment that the fleet made. */
export interface ShippedSegment extends Shipped {
  readonly dataset: Dataset;
  readonly rows: readonly Row[];
}

/** Datasets, and what was shipped of each. */
export interface Fleet {
  readonly datasets: readonly Dataset[];
  /** What a table must hold once everything is registered. */
  expected(dataset: Dataset): Count;
  /** Makes and uploads the next segment of a dataset; the third of its versions comes with its last segments. */
  ship(dataset: Dataset): Promise<ShippedSegment>;
  readonly shipped: readonly ShippedSegment[];
}

/** @param ofEach how many segments a dataset will have */
export function makeFleet({ s3 }: Lake, tables: number, ofEach: number, dice: Dice): Fleet {
  const datasets = Array.from({ length: tables }, (_, index) =>
    readings(`readings_${String(index).padStart(2, '0')}`),
  );
  const counts = new Map<Dataset, Count & { readonly segments: number }>();
  const shipped: ShippedSegment[] = [];
  const none = { rows: 0, distinct: 0, checksum: 0n, segments: 0 };

  return {
    datasets,
    shipped,
    expected: (dataset) => counts.get(dataset) ?? none,
    async ship(dataset) {
      const { rows, checksum: sum, segments } = counts.get(dataset) ?? none;
      const version = versionOf(segments, ofEach, dice);
      const segment = makeSegment(dataset, version, segments);
      counts.set(dataset, {
        rows: rows + segment.rows.length,
        distinct: rows + segment.rows.length,
        checksum: sum + checksum(segment.rows),
        segments: segments + 1,
      });
      const Key = `${prefix}/${segment.key}`;
      const { ETag = '' } = await s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body: segment.bytes }));
      const etag = ETag.replaceAll('"', '');
      const one = { key: Key, sizeBytes: segment.bytes.length, etag, dataset, rows: segment.rows };
      shipped.push(one);
      return one;
    },
  };
}

/** The fleet moves from version to version, and one in five shippers is a version behind. */
function versionOf(index: number, ofEach: number, dice: Dice): number {
  const newest = Math.min(2, Math.floor((index * 3) / (ofEach - 1)));
  const lags = index < ofEach - 1 && dice.chance(0.2);
  return Math.max(0, newest - (lags ? 1 : 0));
}

/** How a segment comes to the registrar, and again. */
type Way = 'arrivals' | 'registrations';

/** Tells the registrar of objects, on the way that a deployment has or straight to the FIFO queue, in a group of the shipper's own. */
export async function notify(
  { sqs, arrivals, registrations }: Lake,
  way: Way,
  objects: readonly Shipped[],
): Promise<void> {
  const bodies = objects.map((object) => s3Event({ bucket, ...object, sequencer: sequencer() }));
  if (way === 'arrivals')
    return sendAll(
      sqs,
      arrivals,
      bodies.map((body) => ({ body })),
    );
  const own = bodies.map((body) => ({ body, groupId: randomUUID(), deduplicationId: randomUUID() }));
  await sendAll(sqs, registrations, own);
}

function sequencer(): string {
  return process.hrtime.bigint().toString(16).toUpperCase().padStart(18, '0');
}

/**
 * Ships every dataset's segments in a mixed order, evenly over the time, and delivers some of them again: at once, later, by another way,
 * or uploaded once more. Half come in groups of their own, so that writers meet.
 */
export async function shipAll(
  lake: Lake,
  fleet: Fleet,
  options: { readonly ofEach: number; readonly overMs: number; readonly dice: Dice },
): Promise<number> {
  const { ofEach, overMs, dice } = options;
  const left = new Map(
    fleet.datasets.map((dataset) => [
      dataset,
      ofEach - fleet.expected(dataset).rows / dataset.rowsPerSegment,
    ]),
  );
  const total = [...left.values()].reduce((sum, count) => sum + count, 0);
  const startedMs = Date.now();
  let redeliveries = 0;
  for (let done = 0; left.size > 0; ) {
    const open = [...left.keys()];
    const dataset = open[dice.integer(0, open.length - 1)];
    if (dataset === undefined) break;
    const burst = Math.min(dice.integer(1, 8), left.get(dataset) ?? 0);
    const objects: Shipped[] = [];
    for (let n = 0; n < burst; n += 1) objects.push(await fleet.ship(dataset));
    const rest = (left.get(dataset) ?? 0) - burst;
    if (rest > 0) left.set(dataset, rest);
    else left.delete(dataset);
    done += burst;

    await notify(lake, dice.chance(0.5) ? 'registrations' : 'arrivals', objects);
    if (dice.chance(0.3)) {
      const again = Array.from({ length: burst }, () => pick(fleet.shipped, dice));
      await notify(lake, dice.chance(0.5) ? 'registrations' : 'arrivals', again);
      redeliveries += again.length;
    }
    const aheadMs = (done / total) * overMs - (Date.now() - startedMs);
    if (aheadMs > 0) await sleep(aheadMs);
  }
  return redeliveries;
}

function pick(shipped: readonly Shipped[], dice: Dice): Shipped {
  const one = shipped[dice.integer(0, shipped.length - 1)];
  if (one === undefined) throw new RangeError('Cannot deliver again what was never shipped');
  return one;
}
