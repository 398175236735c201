/**
 * Many writers on one table: `npm run storm -- [--writers 16] [--commits 1000] [--catalog embedded|fixture]`. Every writer has its own
 * cache, like a separate container, and registers one segment after another. The result is compared with the same number of commits by a
 * single writer. Exits non-zero when a segment is lost or duplicated, or a commit takes more attempts or time than promised.
 */
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { SegmentReference } from '../../lib/event/segment-reference.ts';
import { register } from '../../lib/jobs/register/register.ts';
import type { Log } from '../../lib/ports.ts';
import { type Wiring, wire } from '../../lib/wire.ts';
import { readCommandLine } from '../../local/command-line.ts';
import { events } from '../../local/shipper/events.ts';
import { makeSegment } from '../../local/shipper/segment.ts';
import { livePaths } from '../live-paths.ts';
import { type Lakehouse, startEmbedded, startFixture } from './lakehouse.ts';

const MOST_ATTEMPTS_A_COMMIT = 4;
const MOST_TIMES_SERIAL = 3;

const { values: options } = readCommandLine({
  options: {
    writers: { type: 'string', default: '16' },
    commits: { type: 'string', default: '1000' },
    catalog: { type: 'string', default: 'embedded' },
  },
});
const commits = Number(options.commits);
const quiet: Log = { info() {}, warn() {}, error() {} };

/** One run, in which several writers share the segments of one table. */
interface Run {
  readonly seconds: number;
  /** Commit requests sent. */
  readonly attempts: number;
  /** Registrations that ran out of attempts or time and were started again, as a queue would do by delivering again. */
  readonly redeliveries: number;
  readonly lost: number;
  readonly duplicates: number;
}

const lakehouse = await (options.catalog === 'fixture' ? startFixture() : startEmbedded());
try {
  const serial = await run(lakehouse, 'serial', 1);
  const storm = await run(lakehouse, 'storm', Number(options.writers));
  console.table({ '1 writer': shown(serial), [`${options.writers} writers`]: shown(storm) });

  const ratio = storm.seconds / serial.seconds;
  const perCommit = storm.attempts / commits;
  const holds =
    storm.lost + storm.duplicates === 0 && perCommit <= MOST_ATTEMPTS_A_COMMIT && ratio <= MOST_TIMES_SERIAL;
  if (!holds) process.exitCode = 1;
  console.log(
    `${holds ? 'held' : 'NOT HELD'}: ${commits} commits by ${options.writers} writers through the ${options.catalog} catalog, ` +
      `${storm.lost} lost, ${storm.duplicates} duplicates, ${perCommit.toFixed(2)} attempts a commit (at most ${MOST_ATTEMPTS_A_COMMIT}), ` +
      `${ratio.toFixed(2)} times serial (at most ${MOST_TIMES_SERIAL})`,
  );
} finally {
  await lakehouse.close();
}

async function run({ settings, bucket, store }: Lakehouse, table: string, writers: number): Promise<Run> {
  const segments = await upload(table);
  const counted = { attempts: 0, redeliveries: 0 };
  const containers = await Promise.all(
    Array.from({ length: writers }, () => container(settings, () => (counted.attempts += 1))),
  );
  const [first] = containers;
  if (first === undefined) throw new RangeError('Cannot run without a writer');

  // Creating the table is not part of the measured time.
  await registerOne(first, segments[0], counted);
  counted.attempts = 0;
  const left = segments.slice(1);
  const startedAt = performance.now();
  await Promise.all(
    containers.map(async (wiring) => {
      for (let one = left.shift(); one !== undefined; one = left.shift())
        await registerOne(wiring, one, counted);
    }),
  );
  const seconds = (performance.now() - startedAt) / 1000;

  const found = await livePaths(first, table);
  const distinct = new Set(found);
  return {
    seconds,
    ...counted,
    lost: segments.filter(({ key }) => !distinct.has(`s3://${bucket}/${key}`)).length,
    duplicates: found.length - distinct.size,
  };

  /** The bytes of one segment under one key per commit, and one more for the creation. */
  async function upload(dataset: string): Promise<readonly SegmentReference[]> {
    const { bytes } = makeSegment(events, 0, 0, { rows: 5 });
    const client = new S3Client(store);
    const references = Array.from({ length: commits + 1 }, (_, index): SegmentReference => {
      return { scheme: 's3', bucket, key: `in/thadam/v1/storm/${dataset}/${index}.parquet` };
    });
    for (const { key } of references)
      await client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: bytes }));
    client.destroy();
    return references;
  }
}

async function container(settings: Lakehouse['settings'], onCommit: () => void): Promise<Wiring> {
  const wiring = await wire({ REGISTRAR_CONFIG: JSON.stringify(settings) });
  return {
    ...wiring,
    log: quiet,
    portsOf(entry) {
      const ports = wiring.portsOf(entry);
      const commit: typeof ports.catalog.commit = (table, request) => {
        onCommit();
        return ports.catalog.commit(table, request);
      };
      return { ...ports, catalog: { ...ports.catalog, commit } };
    },
  };
}

async function registerOne(
  wiring: Wiring,
  segment: SegmentReference | undefined,
  counted: { redeliveries: number },
): Promise<void> {
  if (segment === undefined) return;
  for (;;) {
    const deadline = performance.now() + 60_000;
    const { outcomes } = await register([segment], wiring, () => deadline - performance.now());
    const [outcome] = outcomes;
    if (outcome?.kind === 'committed' || outcome?.kind === 'already-registered') return;
    if (outcome?.kind !== 'failed') throw new Error(`Cannot register "${segment.key}": ${outcome?.kind}`);
    if (!outcome.error.retryable) throw outcome.error;
    counted.redeliveries += 1;
  }
}

function shown({ seconds, attempts, redeliveries, lost, duplicates }: Run) {
  return {
    seconds: seconds.toFixed(1),
    'commits a second': (commits / seconds).toFixed(1),
    'attempts a commit': (attempts / commits).toFixed(2),
    redeliveries,
    lost,
    duplicates,
  };
}
