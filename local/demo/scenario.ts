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

/** The actions of the scenario, with which the verdict compares the tables. */
export interface Played {
  readonly tables: readonly PlayedTable[];
  /** The object that is not a Parquet file. */
  readonly brokenUri: string;
}

export interface PlayedTable extends ShippedTable {
  /** The table before all its segments were delivered again. */
  readonly before: Metadata | undefined;
}

/** The tables that the demo's datasets become. */
export const demoTables: readonly { readonly dataset: Dataset; readonly table: TableIdentifier }[] =
  datasets.map((dataset) => ({ dataset, table: { namespace: ['plant'], name: dataset.name } }));

/**
 * Acts as a shipper that uploads files, and lets the notifications do the rest. One dataset changes its schema, one file is broken, and at
 * the end everything is delivered again to functions that start cold.
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
  const total = fleet.reduce((sum, { size }) => sum + size, 0);
  const shipped = () => fleet.flatMap(({ segments }) => segments);
  const load = () => Promise.all(fleet.map(({ table }) => loadMetadata(services.lake, table)));

  /** Ships segments of all datasets in turns, until a fraction of each is shipped. */
  const shipUpTo = async (part: number, versionOf: (dataset: Dataset) => number): Promise<void> => {
    const due = fleet.flatMap((one) =>
      Array.from({ length: one.size }, (_, index) => ({ one, index, turn: (index + 1) / one.size })).slice(
        one.segments.length,
      ),
    );
    for (const { one, index } of due.filter(({ turn }) => turn <= part).toSorted((a, b) => a.turn - b.turn)) {
      const { key, bytes, log } = makeSegment(one.dataset, versionOf(one.dataset), index);
      one.segments.push({ uri: await services.upload(key, bytes), sizeBytes: bytes.length, log });
      screen.progress(`  ${shipped().length} of ${total} segments shipped`);
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

  screen.heading('Telemetry changes its schema');
  await shipUpTo(0.9, lastVersion);
  await settle();

  screen.heading('A broken file arrives among the last segments');
  const brokenUri = await services.upload(
    segmentKey(orders, orders.segments),
    Buffer.from('PAR1 and then nothing'),
  );
  await shipUpTo(1, lastVersion);
  await settle();

  screen.heading(
    `Cold functions replace the warm ones and get all ${shipped().length} notifications a second time`,
  );
  const before = await load();
  await functions.restart();
  await services.deliverAgain(shipped().map(({ uri }) => uri));
  await settle();
  screen.line(`  before: ${contents(before)}; after: ${contents(await load())}`);

  return { tables: fleet.map((one, index) => ({ ...one, before: before[index] })), brokenUri };
}

function contents(tables: readonly (Metadata | undefined)[]): string {
  const snapshots = tables.reduce((sum, metadata) => sum + (metadata?.snapshots?.length ?? 0), 0);
  const files = tables.reduce((sum, metadata) => sum + dataFileCount(metadata), 0);
  return `${snapshots} snapshots with ${files} data files`;
}
