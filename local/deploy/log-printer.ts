import { parseJson, stringifyJson } from '../../lib/spec/json.ts';

/**
 * Takes what functions write, in whatever pieces, and prints a line for each thing that is worth knowing: commits, segments set aside, trouble.
 * Lines that are not JSON are trouble, and are printed as they are.
 */
export function logPrinter(print: (line: string) => void): (text: string) => void {
  let rest = '';
  return (text) => {
    const lines = `${rest}${text}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const shown = readable(line);
      if (shown !== undefined) print(shown);
    }
  };
}

function readable(line: string): string | undefined {
  if (!line.startsWith('{')) return line === '' ? undefined : line;
  const { level, event, table, segments, rows, snapshotId, durationMs, code, message, error, ...more } =
    parseJson(line) as Readonly<Record<string, unknown>>;
  if (event === 'committed') {
    return `committed    ${table}: ${segments} segments, ${rows} rows, snapshot ${snapshotId}, ${durationMs} ms`;
  }
  if (event === 'quarantined') return `quarantined  ${table}: ${code}: ${message}`;
  if (event === 'routed' || event === 'registered' || level === 'info') return undefined;
  return `${event}  ${[table, error, message].filter((part) => part !== undefined).join(': ')} ${stringifyJson(more)}`;
}
