import { stripVTControlCharacters, styleText } from 'node:util';
import Table from 'cli-table3';

export interface Column {
  readonly head: string;
  /** The most characters of a line in it, wherever it is printed. */
  readonly most?: number;
  readonly align?: 'right';
}

export interface Fit {
  /** Without lines between its rows. */
  readonly compact?: boolean;
  /** The fewest characters of a line that its widest columns can be read with. */
  readonly narrowest?: number;
  /** The columns of the terminal; undefined where the output is none, so that nothing has to fit. */
  readonly terminal?: number | undefined;
}

/** Of a column with sentences. */
const NARROWEST = 14;

/** What stands around a cell: a space on either side, and a border. */
const AROUND = 3;

/**
 * A table as wide as its contents, and on a terminal no wider than that. What does not fit is wrapped, never cut, and where the
 * terminal is too narrow for the columns, each row is a list of its cells. The table library would cut words that are too long.
 */
export function wrappedTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  { compact = false, narrowest = NARROWEST, terminal = terminalColumns() }: Fit = {},
): string {
  const wanted = columns.map(({ head, most = Number.POSITIVE_INFINITY }, at) =>
    Math.min(
      most,
      rows.reduce((longest, row) => Math.max(longest, longestLine(row[at] ?? '')), longestLine(head)),
    ),
  );
  const widest = widestOf(wanted, (terminal ?? Number.POSITIVE_INFINITY) - AROUND * columns.length - 1);
  if (widest < narrowest && terminal !== undefined) return lists(columns, rows, terminal);
  const fitted = (text: string, at: number) => wrapped(text, Math.min(wanted[at] ?? widest, widest));
  const table = new Table({
    head: columns.map(({ head }, at) => styleText('bold', fitted(head, at))),
    colAligns: columns.map(({ align }) => align ?? 'left'),
    style: { head: [], border: [], compact },
  });
  for (const row of rows) table.push(row.map(fitted));
  return table.toString();
}

/** Some terminals do not tell their size. */
function terminalColumns(): number | undefined {
  return process.stdout.isTTY ? process.stdout.columns || undefined : undefined;
}

/** The width to which the widest columns are narrowed, so that all of them together are no wider than `room`. */
function widestOf(wanted: readonly number[], room: number): number {
  let left = room;
  for (const [at, width] of wanted.toSorted((a, b) => a - b).entries()) {
    const share = Math.floor(left / (wanted.length - at));
    if (width > share) return share;
    left -= width;
  }
  return Number.POSITIVE_INFINITY;
}

function lists(columns: readonly Column[], rows: readonly (readonly string[])[], terminal: number): string {
  const indent = Math.max(...columns.map(({ head }) => head.length)) + 2;
  const cells = (row: readonly string[]) =>
    columns.flatMap(({ head }, at) => {
      const text = row[at] ?? '';
      if (text === '') return [];
      const lines = wrapped(text, Math.max(1, terminal - indent)).replaceAll('\n', `\n${' '.repeat(indent)}`);
      return [`${styleText('bold', head)}${' '.repeat(indent - head.length)}${lines}`];
    });
  return rows.map((row) => cells(row).join('\n')).join('\n\n');
}

function longestLine(text: string): number {
  return Math.max(
    ...stripVTControlCharacters(text)
      .split('\n')
      .map((line) => [...line].length),
  );
}

/** Wraps between words; a word that is too long after one of its signs, and only without any within itself. */
export function wrapped(text: string, width: number): string {
  // A colour goes with the character beside it.
  const some = String.raw`(?:(?:\p{Cc}\[\d+m)*\P{Cc}(?:\p{Cc}\[\d+m)*){1,${width}}`;
  const line = new RegExp(`${some}(?: +|$)|${some}(?<=[/._,:=-])|${some}`, 'gu');
  return text
    .split('\n')
    .flatMap((whole) => whole.match(line)?.map((part) => part.trimEnd()) ?? [''])
    .join('\n');
}
