import { setTimeout as sleep } from 'node:timers/promises';
import { makeSegment } from '../../local/shipper/segment.ts';
import { install } from '../../test/integration/services/services.ts';
import { readings } from '../../test/soak/readings.ts';
import type { Cell } from '../cell.ts';
import { openDataset } from '../dataset.ts';
import type { Section } from '../section.ts';
import { cellOf } from '../tables/certified-table.ts';
import { type SparkProgram, startSpark } from './spark.ts';

const SEEN = 'a commit of the registrar is seen by the next query';
const CACHED = 'Spark’s default cache-enabled=true';
/** A little longer than Spark's default for `cache.expiration-interval-ms`. */
const EXPIRED_MS = 33_000;
const READ_EVERY_MS = 5_000;

/** Sessions read a table, and read it again after a registration. */
export const caches: Section = {
  name: 'caches',
  title: 'Readers that cache tables',
  short: false,
  async *run(context) {
    const [version] = readings('readings').versions;
    const dataset = await openDataset(context, 'readings');
    if (version === undefined) throw new Error('readings have no version');
    let index = 0;
    const ship = () => dataset.ship(version, makeSegment(readings('readings'), 0, index++).rows);
    const rows = () => 20 * index;
    const seen = (engine: string, feature: string, found: number): Cell =>
      cellOf(engine, feature, found === rows() ? [] : [`${found} of ${rows()} rows`], `${rows()} rows`);

    await ship();
    for (const engine of context.engines) await engine.count(dataset.table);
    await ship();
    for (const engine of context.engines) yield seen(engine.name, SEEN, await engine.count(dataset.table));
    for (const [engine, detail] of context.notRun)
      yield { feature: SEEN, engine, outcome: 'not-run', detail };
    if (!context.engines.some(({ name }) => name === 'Spark')) return;

    await install('spark');
    const spark = await startSpark('spark_platform.py', context.catalog, context.log);
    context.onClose(() => spark.stop());
    const table = [...dataset.table.namespace, dataset.table.name].join('.');
    const cached = () => ask(spark, 'cached rows', table);
    await cached();
    await ship();
    yield seen('Spark', `${SEEN}, with ${CACHED}`, await cached());
    for (let ms = 0; ms < EXPIRED_MS; ms += READ_EVERY_MS) {
      await sleep(READ_EVERY_MS);
      await cached();
    }
    yield seen(
      'Spark',
      `it is seen by a session that reads every 5 s, after 30 s, with ${CACHED}`,
      await cached(),
    );
    await spark.ask({ do: 'refresh', table });
    yield seen('Spark', `it is seen after REFRESH TABLE, with ${CACHED}`, await cached());
    await ship();
    await sleep(EXPIRED_MS);
    yield seen(
      'Spark',
      `it is seen by a session that reads nothing for 30 s, with ${CACHED}`,
      await cached(),
    );
  },
};

async function ask(spark: SparkProgram, what: string, table: string): Promise<number> {
  return Number(await spark.ask({ do: what, table }));
}
