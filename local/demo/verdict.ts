import type { Engine } from './engine.ts';
import { attachCatalog, dataFileCount } from './lake.ts';
import { differ } from './read-back.ts';
import type { Played, PlayedTable } from './scenario.ts';
import type { Services } from './services.ts';
import { judgeTable, type TableFigures } from './table-figures.ts';

/** The result of a run. */
export interface Verdict {
  readonly tables: readonly (TableFigures & { readonly redelivered: number })[];
  /** The number of segments that were delivered again without adding anything. */
  readonly redelivered: number;
  readonly quarantined: number;
  /** One line for each wrong figure; empty if the run is good. */
  readonly problems: readonly string[];
}

/** Checks everything from outside once the queues are empty: catalog, manifests, values, quarantine, dead letters. */
export async function judge(engine: Engine, services: Services, played: Played): Promise<Verdict> {
  await attachCatalog(engine, services.lake);
  const tables: Verdict['tables'][number][] = [];
  const problems: string[] = [];
  for (const table of played.tables) {
    const { figures, problems: found } = await judgeTable(engine, services.lake, table);
    tables.push({ ...figures, redelivered: recognised(table, figures) });
    problems.push(...found, ...redeliveryProblems(table, figures));
  }
  const quarantine = services.quarantine();
  problems.push(
    ...differ(
      'segments in quarantine',
      quarantine.map(({ segment }) => segment?.uri).join(),
      played.brokenUri,
    ),
    ...differ('messages in dead-letter queues', services.deadLetters(), 0),
  );
  return {
    tables,
    redelivered: tables.reduce((sum, table) => sum + table.redelivered, 0),
    quarantined: quarantine.length,
    problems,
  };
}

/** Since the queues are empty, each segment that was delivered again either added a data file or was recognised. */
function recognised({ segments, before }: PlayedTable, { dataFiles }: TableFigures): number {
  return segments.length - (dataFiles - dataFileCount(before));
}

function redeliveryProblems(played: PlayedTable, figures: TableFigures): readonly string[] {
  const { table, snapshots } = figures;
  return [
    ...differ(
      `${table}: segments recognised when delivered again`,
      recognised(played, figures),
      played.segments.length,
    ),
    ...differ(
      `${table}: snapshots after all was delivered again`,
      snapshots,
      played.before?.snapshots?.length ?? 0,
    ),
  ];
}
