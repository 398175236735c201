import { counted } from '../../lib/counted.ts';
import { parseJson, stringifyJson } from '../../lib/spec/json.ts';
import { wholeLines } from '../whole-lines.ts';

/**
 * Takes the output of functions in arbitrary pieces, and prints one line for each commit, quarantined segment and error. Lines that are not
 * JSON count as errors and are printed unchanged.
 */
export function logPrinter(print: (line: string) => void): (text: string) => void {
  return wholeLines((line) => {
    const shown = readable(line);
    if (shown !== undefined) print(shown);
  });
}

function readable(line: string): string | undefined {
  if (!line.startsWith('{')) return line;
  const { level, event, table, segments, rows, snapshotId, durationMs, code, message, error, ...more } =
    parseJson(line) as Readonly<Record<string, unknown>>;
  if (event === 'committed') {
    return `committed    ${table}: ${counted(Number(segments), 'segment')}, ${counted(Number(rows), 'row')}, snapshot ${snapshotId}, ${durationMs} ms`;
  }
  if (event === 'quarantined') return `quarantined  ${table}: ${code}: ${message}`;
  if (event === 'routed' || event === 'registered' || level === 'info') return undefined;
  return `${event}  ${[table, error, message].filter((part) => part !== undefined).join(': ')} ${stringifyJson(more)}`;
}
