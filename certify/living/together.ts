import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Dataset } from '../../local/shipper/dataset.ts';
import { seededDice } from '../../local/shipper/dice.ts';
import type { CatalogService, Services } from '../../test/integration/services/service.ts';
import { makeAgedTables } from '../../test/soak/aged.ts';
import { type Fleet, makeFleet, notify, shipAll } from '../../test/soak/fleet.ts';
import { handlerLog } from '../../test/soak/handler-log.ts';
import { startHandlers } from '../../test/soak/handlers.ts';
import { type Lake, namespace, openLake, quarantined, untilEmpty } from '../../test/soak/lake.ts';
import type { Count } from '../../test/soak/readers.ts';
import { startTrouble, type Trouble } from '../../test/soak/trouble.ts';
import { notifyOthers } from './notify-others.ts';
import { type Platform, type PlatformWork, startPlatform } from './platform.ts';
import { type CountedRows, openAccount } from './rows.ts';
import { type Stream, startStream } from './stream.ts';
import { startWriter, type Writer } from './writers.ts';

export interface TogetherOptions {
  readonly catalog: CatalogService;
  readonly localstack: Services['localstack'];
  /** The folder of the built functions, as `dist`. */
  readonly bundles: string;
  readonly minutes: number;
  readonly seed: string;
  readonly scratch: string;
  readonly say: (line: string) => void;
  readonly log: (text: string) => void;
  readonly onClose: (close: () => Promise<void>) => void;
}

/** What was done to one table, and the rows that it must hold. */
export interface Together {
  readonly table: { readonly namespace: readonly string[]; readonly name: string };
  readonly expected: CountedRows;
  /** Commits by writer. */
  readonly commits: Readonly<Record<string, number>>;
  readonly conflicts: Readonly<Record<string, number>>;
  readonly work: Readonly<PlatformWork>;
  /** The number of other writers' Parquet files of which the registrar was notified. */
  readonly othersFiles: number;
  /** Errors that the other writers did not cause. */
  readonly faults: readonly string[];
  /** Rows through a catalog that caches tables, before and after a refresh. */
  readonly cached: { readonly rows: number; readonly refreshed: Count };
}

const SEGMENTS_A_MINUTE = 150;
const SHIPPING_SHARE = 0.9;

/**
 * One table with all its writers at once: the registrar's functions, fed by queues; a Spark stream; PyIceberg; DuckDB; and a second Spark
 * that compacts, rewrites manifests, expires, deletes and rolls back. Each Spark is killed once. The registrar is notified of every file
 * that any of them writes.
 */
export async function together(options: TogetherOptions): Promise<Together> {
  const { catalog, minutes, seed, log, onClose } = options;
  const lake = await openLake({ localstack: options.localstack, seaweedfsCatalog: catalog }, onClose);
  const dice = (what: string) => seededDice(`${seed}/${what}`);
  const segments = Math.ceil(minutes * SEGMENTS_A_MINUTE);
  const fleet = makeFleet(lake, 1, segments, dice('fleet'));
  const [dataset] = fleet.datasets as readonly [Dataset];
  const table = { namespace: [namespace], name: dataset.name };
  const uploadedEarlier = await makeAgedTables(lake, fleet, [dataset]);
  // Only for its proxies, which make uploads as old as the aged table says.
  const trouble = await startTrouble(catalog, uploadedEarlier, seed);
  trouble.end();
  onClose(() => trouble.close());
  const account = openAccount();
  const platform = await startPlatform(catalog, table, account, log);
  onClose(() => platform.stop());
  const shared = { catalog, table, account, log, onClose };
  const stream = await startStream({ ...shared, base: 10n ** 12n, scratch: join(options.scratch, 'stream') });
  const heard = handlerLog(log);
  const handlers = await startHandlers(lake, {
    bundles: options.bundles,
    env: lake.environment(trouble.catalog.url, trouble.store.url),
    onOutput: heard.onOutput,
    onThrown: heard.onThrown,
  });
  onClose(() => handlers.stop());
  const pyIceberg = startWriter('PyIceberg', { ...shared, base: 2n * 10n ** 12n });
  const duckDb = startWriter('DuckDB', { ...shared, base: 3n * 10n ** 12n });
  const writers = [stream, pyIceberg, duckDb];

  await platform.cachedRows();
  const over = new AbortController();
  const others = notifyOthers(lake, fleet, over.signal);
  const overMs = minutes * 60_000;
  const shipping = shipAll(lake, fleet, {
    ofEach: segments,
    overMs: overMs * SHIPPING_SHARE,
    dice: dice('shipper'),
  });
  await liveFor(overMs, { ...options, lake, fleet, platform, stream, writers, trouble });
  await shipping;
  for (const writer of writers) await writer.stop();
  over.abort();
  const othersFiles = await others;
  await untilEmpty(lake, handlers.failed);
  const cached = { rows: await platform.cachedRows(), refreshed: await refreshed(platform) };
  const quarantine = await quarantined(lake);
  await platform.stop();
  // Quarantined correctly: for a late redelivery, the history that could prove its absence has expired.
  const isOld = (uri = '') => uploadedEarlier.has(uri.slice(`s3://${catalog.store.bucket}/`.length));
  for (const { rows } of fleet.shipped) account.add(rows);
  return {
    table,
    expected: account.count(),
    commits: {
      registrar: trouble.commits.landed,
      ...Object.fromEntries(writers.map((writer) => [writer.name, writer.commits()])),
    },
    conflicts: {
      registrar: trouble.commits.conflicts,
      ...Object.fromEntries(writers.map((writer) => [writer.name, writer.conflicts()])),
    },
    work: platform.work,
    othersFiles,
    faults: [
      ...heard.faults(),
      ...quarantine
        .filter(({ code, segment }) => code !== 'registration.unprovable' || !isOld(segment?.uri))
        .map(({ code, message }) => `in quarantine: ${code}: ${message}`),
    ],
    cached,
  };
}

interface Living extends TogetherOptions {
  readonly lake: Lake;
  readonly fleet: Fleet;
  readonly platform: Platform;
  readonly stream: Stream;
  readonly writers: readonly Writer[];
  readonly trouble: Trouble;
}

/** The platform's rounds of maintenance, and the events that happen once, each after its share of the time. */
async function liveFor(overMs: number, living: Living): Promise<void> {
  const { fleet, platform, stream, writers, say } = living;
  const startedMs = Date.now();
  const once = [
    { at: 0, what: 'the table is rolled back', run: () => rollBack(living) },
    { at: 0.3, what: 'the stream is killed', run: () => stream.kill() },
    { at: 0.6, what: 'maintenance is killed', run: () => platform.maintainAndDie() },
  ];
  // Only rows that are certainly in the table: for the registrar, those committed before the run.
  const deletable = [fleet.shipped.slice(0, AGED_SEGMENTS), ...writers.map(({ landed }) => landed)];
  // On a slow machine these events happen late, but they do happen.
  for (let round = 0; Date.now() - startedMs < overMs || once.length > 0; round += 1) {
    const next = once[0];
    if (next !== undefined && Date.now() - startedMs >= overMs * next.at) {
      once.shift();
      say(next.what);
      await next.run();
    }
    await platform.maintain();
    const batch = deletable[round % deletable.length]?.[Math.floor(round / deletable.length)];
    if (batch !== undefined) await platform.delete(batch.rows);
  }
}

/** The number of segments that `makeAgedTables` registers in a table. */
const AGED_SEGMENTS = 10;

const SEGMENTS_ROLLED_BACK = 6;
const MOST_MS_WITHOUT_COMMITS = 120_000;

/**
 * Rolls back over commits of the registrar while it keeps running. The other writers wait, since nobody would append again what a rollback
 * takes from them. The shipped segments are delivered once more.
 */
async function rollBack({ lake, fleet, platform, writers, trouble }: Living): Promise<void> {
  await Promise.all(writers.map((writer) => writer.pause()));
  const [dataset] = fleet.datasets as readonly [Dataset];
  const snapshot = await platform.snapshot();
  const before = trouble.commits.landed;
  for (let n = 0; n < SEGMENTS_ROLLED_BACK; n += 1)
    await notify(lake, 'registrations', [await fleet.ship(dataset)]);
  for (let ms = 0; trouble.commits.landed === before; ms += 100) {
    if (ms > MOST_MS_WITHOUT_COMMITS) throw new Error('Cannot roll back: the registrar commits nothing');
    await sleep(100);
  }
  await platform.rollback(snapshot);
  await notify(lake, 'arrivals', fleet.shipped);
  for (const writer of writers) writer.resume();
}

async function refreshed(platform: Platform): Promise<Count> {
  await platform.refresh();
  return platform.count({ cached: true });
}
