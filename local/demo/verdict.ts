import type { Engine } from './engine.ts';
import { attachCatalog, dataFileCount } from './lake.ts';
import { differ } from './read-back.ts';
import type { Played, PlayedTable } from './scenario.ts';
import type { Services } from './services.ts';
import { judgeTable, type TableFigures } from './table-figures.ts';

/** What a run came to. */
export interface Verdict {
  readonly tables: readonly (TableFigures & { readonly redelivered: number })[];
  /** Segments that were delivered again and added nothing. */
  readonly redelivered: number;
  readonly quarantined: number;
  /** Each figure that is not as it should be, as a line; none when the run is good. */
  readonly problems: readonly string[];
}

/** Looks at everything from outside once the queues are empty: catalog, manifests, values, quarantine, dead letters. */
export async function judge(engine: Engine, services: Services, played: Played): Promise<Verdict> {
  await attachCatalog(engine, services.lake);
  const tables = [];
  const problems: string[] = [];
  for (const table of played.tables) {
    const judged = await judgeTable(engine, services.lake, table);
    tables.push({ ...judged.figures, redelivered: recognised(table) });
    problems.push(...judged.problems, ...redeliveryProblems(judged.figures.table, table));
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

/** The queues are empty, so what was delivered again either added a data file or was recognised. */
function recognised({ deliveredAgain, before, after }: PlayedTable): number {
  return deliveredAgain - (dataFileCount(after) - dataFileCount(before));
}

function redeliveryProblems(name: string, table: PlayedTable): readonly string[] {
  const { deliveredAgain, before, after } = table;
  return [
    ...differ(`${name}: segments recognised when delivered again`, recognised(table), deliveredAgain),
    ...differ(
      `${name}: snapshots after all was delivered again`,
      after?.snapshots?.length,
      before?.snapshots?.length,
    ),
  ];
}
