import type { TableIdentifier } from '../../lib/spec/table-identifier.ts';
import type { Dataset } from '../shipper/dataset.ts';
import { datasets } from '../shipper/datasets.ts';
import { orders } from '../shipper/orders.ts';
import { makeSegment, segmentKey } from '../shipper/segment.ts';
import type { ShippedSegment } from './file-figures.ts';
import type { Functions } from './functions.ts';
import { dataFileCount, loadMetadata, type Metadata } from './lake.ts';
import type { Narrator } from './narrator.ts';
import type { Screen } from './screen.ts';
import type { Services } from './services.ts';
import type { ShippedTable } from './table-figures.ts';

/** What was done, for the verdict to compare with what the tables hold. */
export interface Played {
  readonly tables: readonly PlayedTable[];
  /** The one object that is no Parquet. */
  readonly brokenUri: string;
}

export interface PlayedTable extends ShippedTable {
  /** How many of its segments were delivered a second time. */
  readonly deliveredAgain: number;
  /** The table before that and after it. */
  readonly before: Metadata | undefined;
  readonly after: Metadata | undefined;
}

/** The tables that the demo's datasets become. */
export const demoTables: readonly { readonly dataset: Dataset; readonly table: TableIdentifier }[] =
  datasets.map((dataset) => ({ dataset, table: { namespace: ['plant'], name: dataset.name } }));

/**
 * Plays a shipper: uploads and lets the notifications do the rest; then the functions start cold, one dataset changes, all is
 * delivered twice, and one file is broken.
 *
 * @param sizeOf how many segments of a dataset to ship
 */
export async function playScenario(
  {
    services,
    functions,
    narrator,
    screen,
  }: { services: Services; functions: Functions; narrator: Narrator; screen: Screen },
  sizeOf: (dataset: Dataset) => number,
): Promise<Played> {
  const fleet = demoTables.map((one) => ({
    ...one,
    size: sizeOf(one.dataset),
    segments: [] as ShippedSegment[],
  }));
  const shipped = () => fleet.flatMap(({ segments }) => segments);
  const load = () => Promise.all(fleet.map(({ table }) => loadMetadata(services.lake, table)));

  /** Ships the next segments of every dataset, up to a part of them, in turns. */
  const shipUpTo = async (part: number, versionOf: (dataset: Dataset) => number): Promise<void> => {
    const due = fleet.flatMap((one) =>
      Array.from({ length: one.size }, (_, index) => ({ one, index, turn: (index + 1) / one.size })).slice(
        one.segments.length,
      ),
    );
    for (const { one, index } of due.filter(({ turn }) => turn <= part).toSorted((a, b) => a.turn - b.turn)) {
      const { key, bytes, log } = makeSegment(one.dataset, versionOf(one.dataset), index);
      one.segments.push({ uri: await services.upload(key, bytes), sizeBytes: bytes.length, log });
      screen.progress(`  ${shipped().length} segments shipped`);
    }
  };
  const settle = async (): Promise<void> => {
    await services.idle();
    await narrator.told();
  };
  const firstVersion = () => 0;
  const lastVersion = ({ versions }: Dataset) => versions.length - 1;

  screen.heading('A shipper uploads; notifications drive the functions');
  await shipUpTo(0.5, firstVersion);
  await settle();

  screen.heading('The functions are thrown away and started cold; telemetry changes its schema');
  await functions.restart();
  await shipUpTo(0.9, lastVersion);
  await settle();

  screen.heading(`All ${shipped().length} notifications are delivered a second time`);
  const before = await load();
  await services.deliverAgain(shipped().map(({ uri }) => uri));
  await settle();
  const after = await load();
  screen.line(`  before: ${contents(before)}; after: ${contents(after)}`);
  const again = fleet.map(({ segments }) => segments.length);

  screen.heading('A broken file arrives among the last segments');
  const brokenUri = await services.upload(segmentKey(orders, 99_999), Buffer.from('PAR1 and then nothing'));
  await shipUpTo(1, lastVersion);
  await settle();

  const tables = fleet.map((one, index) => ({
    ...one,
    deliveredAgain: again[index] ?? 0,
    before: before[index],
    after: after[index],
  }));
  return { tables, brokenUri };
}

function contents(tables: readonly (Metadata | undefined)[]): string {
  const snapshots = tables.reduce((sum, metadata) => sum + (metadata?.snapshots?.length ?? 0), 0);
  const files = tables.reduce((sum, metadata) => sum + dataFileCount(metadata), 0);
  return `${snapshots} snapshots with ${files} data files`;
}
