import { formatIdentifier } from '../../lib/spec/table-identifier.ts';
import type { Dataset } from '../shipper/dataset.ts';
import { datasets } from '../shipper/datasets.ts';
import { orders } from '../shipper/orders.ts';
import { makeSegment, segmentKey } from '../shipper/segment.ts';
import { commitFigures } from './commit-line.ts';
import type { ShippedSegment } from './file-figures.ts';
import { type Functions, startFunctions } from './functions.ts';
import { currentSnapshot, loadMetadata, type Metadata } from './lake.ts';
import { grouped, type Screen } from './screen.ts';
import type { Services } from './services.ts';
import type { ShippedTable } from './table-figures.ts';

/** What was done to the functions, for the verdict to compare with what the tables hold. */
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

export interface ScenarioOptions {
  /** How many segments of a dataset are shipped. @default what the dataset says */
  readonly segments?: number;
}

/**
 * Plays a shipper: uploads and lets the notifications do the rest; then one dataset changes, all is delivered twice, the functions
 * are started cold, and one file is broken.
 */
export async function playScenario(
  services: Services,
  screen: Screen,
  options: ScenarioOptions = {},
): Promise<Played> {
  const fleet = datasets.map((dataset) => ({
    dataset,
    table: { namespace: ['plant'], name: dataset.name },
    count: options.segments ?? dataset.segments,
    segments: [] as ShippedSegment[],
  }));
  const total = fleet.reduce((sum, { count }) => sum + count, 0);
  const tables = new Map(fleet.map(({ table }) => [formatIdentifier(table), table]));
  let telling = Promise.resolve();

  const tell = async (record: CommittedRecord): Promise<void> => {
    const table = tables.get(record.table);
    const metadata = table && (await loadMetadata(services.lake, table));
    const figures = metadata && commitFigures(metadata, BigInt(record.snapshotId));
    if (figures === undefined)
      return screen.line(`  ${record.table}: no snapshot ${record.snapshotId} in the catalog`);
    screen.line(
      [
        `  ${record.table.padEnd(16)}`,
        `${figures.segments} segments`.padStart(11),
        `${grouped(figures.rows)} rows`.padStart(13),
        `${grouped(record.durationMs)} ms`.padStart(9),
        ` snapshot ${String(record.snapshotId).padEnd(19)}`,
        screen.paint('cyan', ` ${figures.changes.join(', ')}`),
      ]
        .join(' ')
        .trimEnd(),
    );
  };
  const observer = {
    onRecord: (record: Readonly<Record<string, unknown>>) => {
      if (isCommitted(record)) telling = telling.then(() => tell(record));
      else if (record['event'] === 'quarantined')
        telling = telling.then(() =>
          screen.line(screen.paint('yellow', `  set aside: ${record['code']}: ${record['message']}`)),
        );
    },
    onTrouble: (text: string) => screen.line(screen.paint('red', `  ${text}`)),
  };
  const settle = async (): Promise<void> => {
    await services.idle();
    await telling;
  };

  let shipped = 0;
  /** Ships segments `from` to `to` (fractions of each dataset) in turns, each under its dataset's schema of that time. */
  const ship = async (from: number, to: number, versionOf: (dataset: Dataset) => number): Promise<void> => {
    const turns = fleet.flatMap((one) =>
      Array.from({ length: one.count }, (_, index) => ({ one, index, at: index / one.count })),
    );
    const due = turns.filter(({ at }) => at >= from && at < to).toSorted((a, b) => a.at - b.at);
    for (const { one, index } of due) {
      const { key, bytes, log } = makeSegment(one.dataset, versionOf(one.dataset), index);
      one.segments.push({ uri: await services.upload(key, bytes), sizeBytes: bytes.length, log });
      shipped += 1;
      screen.progress(`  shipped ${shipped} of ${total} segments`);
    }
  };

  let functions: Functions | undefined = await startFunctions(services, observer);
  try {
    screen.heading('A shipper uploads; notifications drive the functions');
    await ship(0, 0.5, () => 0);
    await settle();

    screen.heading('The functions are thrown away and started cold; telemetry changes its schema');
    await functions.stop();
    functions = undefined;
    functions = await startFunctions(services, observer);
    await ship(0.5, 0.9, (dataset) => dataset.versions.length - 1);
    await settle();

    screen.heading(`All ${shipped} notifications are delivered a second time`);
    const again = fleet.map(({ segments }) => segments.length);
    const load = () => Promise.all(fleet.map(({ table }) => loadMetadata(services.lake, table)));
    const before = await load();
    await services.deliverAgain(fleet.flatMap(({ segments }) => segments.map(({ uri }) => uri)));
    await settle();
    const after = await load();
    const added = after.reduce(
      (sum, metadata, index) => sum + dataFiles(metadata) - dataFiles(before[index]),
      0,
    );
    screen.line(`  ${shipped - added} recognised as already registered, ${added} data files added`);

    screen.heading('One broken file arrives among the last segments');
    const brokenUri = await services.upload(
      segmentKey(orders, 99_999),
      new TextEncoder().encode('PAR1 and then nothing'),
    );
    await ship(0.9, 1, (dataset) => dataset.versions.length - 1);
    await settle();

    return {
      tables: fleet.map(({ dataset, table, segments }, index) => ({
        dataset,
        table,
        segments,
        deliveredAgain: again[index] ?? 0,
        before: before[index],
        after: after[index],
      })),
      brokenUri,
    };
  } finally {
    await functions?.stop();
  }
}

/** The data files of a table by its newest snapshot's summary. */
export function dataFiles(metadata: Metadata | undefined): number {
  return Number((metadata && currentSnapshot(metadata))?.summary['total-data-files'] ?? 0);
}

/** `register`'s log line of a commit: which snapshot to look up, and how long it took. */
interface CommittedRecord {
  readonly table: string;
  readonly snapshotId: bigint | number;
  readonly durationMs: number;
}

function isCommitted(record: object): record is CommittedRecord {
  return 'event' in record && record.event === 'committed';
}
