import { stringifyJson } from '../../lib/spec/json.ts';
import { formatIdentifier, type TableIdentifier } from '../../lib/spec/table-identifier.ts';
import { commitFigures } from './commit-figures.ts';
import type { FunctionsObserver } from './functions.ts';
import { type Lake, loadMetadata } from './lake.ts';
import { grouped, type Screen } from './screen.ts';

/** Prints a line for each commit, quarantined segment and error, in order. */
export interface Narrator extends FunctionsObserver {
  /** Resolves when everything seen so far has been printed. */
  told(): Promise<void>;
}

/**
 * Listens to the functions' logs, but trusts them only for which snapshot to look up and how long it took. What a commit did is
 * read from the table's own metadata.
 */
export function narrator(lake: Lake, tables: readonly TableIdentifier[], screen: Screen): Narrator {
  const byName = new Map(tables.map((table) => [formatIdentifier(table), table]));
  let telling = Promise.resolve();

  const tellCommit = async ({ table: name, snapshotId, durationMs }: CommittedRecord): Promise<void> => {
    const table = byName.get(name);
    if (table === undefined) {
      screen.line(`  ${name.padEnd(16)}   snapshot ${snapshotId}`);
      return;
    }
    const metadata = await loadMetadata(lake, table);
    const figures = metadata && commitFigures(metadata, BigInt(snapshotId));
    if (figures === undefined) {
      screen.line(screen.paint('red', `  ${name}: the catalog has no snapshot ${snapshotId}`));
      return;
    }
    const columns = [
      `  ${name.padEnd(16)}`,
      `${figures.segments} ${figures.segments === 1 ? 'segment ' : 'segments'}`.padStart(12),
      `${grouped(figures.rows)} rows`.padStart(12),
      `${grouped(durationMs)} ms`.padStart(11),
      `   snapshot ${snapshotId}`,
    ];
    const changes = figures.changes.map((change) => `\n${' '.repeat(21)}${screen.paint('cyan', change)}`);
    screen.line(`${columns.join('')}${changes.join('')}`);
  };
  const tell = (what: () => void | Promise<void>): void => {
    telling = telling.then(what);
  };
  const warn = (text: string): void => tell(() => screen.line(screen.paint('yellow', `  ${text}`)));
  const fail = (text: string): void => tell(() => screen.line(screen.paint('red', `  ${text}`)));

  return {
    onRecord(record) {
      if (isCommitted(record)) tell(() => tellCommit(record));
      else if (isQuarantined(record)) warn(`set aside: ${record.code}: ${record.message}`);
      else if (record['level'] === 'error') fail(errorText(record));
    },
    onTrouble: fail,
    told: () => telling,
  };
}

interface CommittedRecord {
  readonly table: string;
  readonly snapshotId: bigint | number;
  readonly durationMs: number;
}

function isCommitted(record: object): record is CommittedRecord {
  return 'event' in record && record.event === 'committed';
}

function isQuarantined(record: object): record is { readonly code: string; readonly message: string } {
  return 'event' in record && record.event === 'quarantined';
}

/** The message of an error, or the whole line if it has none. */
function errorText(record: Readonly<Record<string, unknown>>): string {
  const { code, message } = { ...record, ...(record['error'] as object | undefined) } as Record<
    string,
    unknown
  >;
  return message === undefined ? stringifyJson(record) : `${code}: ${message}`;
}
