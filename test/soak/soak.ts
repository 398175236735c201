import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { s3Store } from '../../lib/drivers/s3.ts';
import type { QuarantineRecord } from '../../lib/ports.ts';
import { seededDice } from '../../local/shipper/dice.ts';
import type { CatalogService } from '../integration/services/service.ts';
import { install, startServices } from '../integration/services/services.ts';
import { storeSettings } from '../integration/services/settings.ts';
import { makeAgedTables } from './aged.ts';
import { bundle } from './bundle.ts';
import { makeFleet, notify, type Shipped, shipAll } from './fleet.ts';
import { type HandlerLog, handlerLog } from './handler-log.ts';
import { type Kills, killAtRandom, startHandlers } from './handlers.ts';
import { namespace, openLake, quarantined, untilEmpty, url, waiting } from './lake.ts';
import { type Maintained, maintain, startSpark } from './maintenance.ts';
import { clickHouseReader, pythonReader, sparkReader } from './readers.ts';
import { startTrouble, type Trouble } from './trouble.ts';
import { compare, type Verdict } from './verdict.ts';

/** Tables that the handlers make themselves, all at once; the others have a history. */
const NEW_TABLES = 4;
const KILL_EVERY_MS = 5_000;
/** The shipper is done a little before the trouble is. */
const SHIPPING_SHARE = 0.97;

export interface SoakOptions {
  readonly minutes: number;
  readonly segments: number;
  readonly tables: number;
  readonly seed: string;
  readonly spark: boolean;
  /** A folder of the run's own. */
  readonly scratch: string;
  /** Progress, a line each. */
  readonly say: (line: string) => void;
  /** What functions and engines print. */
  readonly log: (text: string) => void;
  /** Given what ends the things that were started; to be called in the opposite order. */
  readonly onClose: (close: () => Promise<void>) => void;
}

export interface SoakResult {
  readonly segments: number;
  readonly tables: number;
  readonly redeliveries: number;
  readonly kills: Kills;
  readonly trouble: Trouble;
  readonly maintained: Maintained | undefined;
  readonly heard: HandlerLog;
  readonly deadLetters: number;
  readonly quarantined: readonly QuarantineRecord[];
  /** Those of them that concern segments whose history has expired, as it must be. */
  readonly unprovable: number;
  readonly engines: readonly string[];
  readonly verdict: Verdict;
}

/**
 * SeaweedFS, Apache's REST fixture and LocalStack's queues; the built functions in processes that are killed at random; a proxy between
 * them and catalog and store that cuts, delays and answers 502, before the work is done or after it; a shipper whose datasets change
 * and whose messages come again; Spark that compacts, rewrites manifests and expires meanwhile. When the time is over, what waits is
 * delivered in peace and counted, then everything is delivered once more; then every engine counts.
 */
export async function soak(options: SoakOptions): Promise<SoakResult> {
  const { minutes, tables, seed, say, log, onClose } = options;
  const dice = (what: string) => seededDice(`${seed}/${what}`);
  const ofEach = Math.ceil(options.segments / tables);

  const lake = await openLake(await start(options), onClose);
  const { catalog } = lake;
  const fleet = makeFleet(lake, tables, ofEach, dice('fleet'));
  const aged = fleet.datasets.slice(NEW_TABLES);
  const uploadedEarlier = await makeAgedTables(lake, fleet, aged);
  const trouble = await startTrouble(catalog, uploadedEarlier, seed);
  onClose(() => trouble.close());
  const heard = handlerLog(log);
  const handlers = await startHandlers(lake, {
    bundles: join(options.scratch, 'dist'),
    env: lake.environment(trouble.catalog.url, trouble.store.url),
    onOutput: heard.onOutput,
    onThrown: heard.onThrown,
  });
  onClose(() => handlers.stop());
  const spark = options.spark ? startSpark(catalog, log) : undefined;
  if (spark !== undefined) onClose(() => spark.stop());

  const startedMs = Date.now();
  const tell = (what: string): void => say(`${((Date.now() - startedMs) / 60_000).toFixed(1)} min: ${what}`);
  const over = new AbortController();
  const maintaining = spark && maintain(spark, aged, over.signal);
  const killing = killAtRandom(handlers.all, dice('kills'), KILL_EVERY_MS, over.signal);
  const progress = setInterval(() => {
    const { landed, conflicts, unknowns } = trouble.commits;
    tell(`${fleet.shipped.length} segments, ${landed} commits, ${conflicts} conflicts, ${unknowns} unknowns`);
  }, 30_000);
  onClose(async () => clearInterval(progress));
  const overMs = minutes * 60_000;
  const redeliveries = await shipAll(lake, fleet, {
    ofEach,
    overMs: overMs * SHIPPING_SHARE,
    dice: dice('shipper'),
  });
  await sleep(Math.max(0, startedMs + overMs - Date.now()));
  over.abort();
  const kills = await killing;
  const maintained = await maintaining;
  clearInterval(progress);

  trouble.end();
  tell('the trouble is over, what waits is delivered');
  await untilEmpty(lake, handlers.failed);
  const duckDb = pythonReader('DuckDB', catalog, namespace, log);
  onClose(() => duckDb.stop());
  const first = await compare([duckDb], fleet);
  const objects = await everyObject(catalog);
  tell(
    `${first.lost} rows are missing; all ${objects.length} Parquet files below the url are delivered once more, to cold functions`,
  );
  await Promise.all(handlers.all.map((handler) => handler.kill()));
  await notify(lake, 'arrivals', objects);
  await untilEmpty(lake, handlers.failed);

  tell('the engines count');
  const clickHouse = await clickHouseReader(catalog, namespace);
  const pyIceberg = pythonReader('PyIceberg', catalog, namespace, log);
  onClose(async () => void (await Promise.all([clickHouse.stop(), pyIceberg.stop()])));
  const readers = [
    pyIceberg,
    duckDb,
    clickHouse,
    ...(spark === undefined ? [] : [sparkReader(spark, namespace)]),
  ];
  const verdict = await compare(readers, fleet);
  const inQuarantine = await quarantined(lake);
  const expiredUris = new Set(
    [...uploadedEarlier.keys()].map((key) => `s3://${catalog.store.bucket}/${key}`),
  );
  tell('done');
  return {
    segments: fleet.shipped.length,
    tables,
    redeliveries,
    kills,
    trouble,
    maintained,
    heard,
    deadLetters: await waiting(lake.sqs, lake.deadLetters),
    quarantined: inQuarantine,
    unprovable: inQuarantine.filter(
      ({ code, segment }) => code === 'registration.unprovable' && expiredUris.has(segment?.uri ?? ''),
    ).length,
    engines: readers.map(({ name }) => name),
    // What the second delivery made good was wrong all the same.
    verdict: {
      ...verdict,
      lost: Math.max(verdict.lost, first.lost),
      differences: [
        ...first.differences.map((difference) => `before the second delivery: ${difference}`),
        ...verdict.differences,
      ],
    },
  };
}

/** Services, engines and bundles. @throws Error when a service does not start */
async function start({ spark, scratch, onClose }: SoakOptions) {
  const [{ services, notRun, stop }] = await Promise.all([
    startServices({ want: ['seaweedfsCatalog', 'localstack'] }),
    install('readers'),
    spark ? install('spark') : undefined,
    bundle(scratch),
  ]);
  onClose(() => stop({ keepLogs: false }));
  const { localstack, seaweedfsCatalog } = services;
  if (localstack !== undefined && seaweedfsCatalog !== undefined) return { localstack, seaweedfsCatalog };
  throw new Error(`Cannot soak: ${Object.values(notRun).join('; ')}`);
}

/** Whatever lies below the url: segments, and the files of compaction. */
async function everyObject({ store }: CatalogService): Promise<readonly Shipped[]> {
  const listed = await Array.fromAsync(s3Store(storeSettings(store)).list(`${url}/`));
  return listed
    .filter(({ uri }) => uri.endsWith('.parquet'))
    .map(({ uri, sizeBytes, version }) => ({
      key: uri.slice(`s3://${store.bucket}/`.length),
      sizeBytes,
      etag: version,
    }));
}
