import type { WriteStream } from 'node:tty';
import { styleText } from 'node:util';
import Table from 'cli-table3';
import { terminalLine } from '../terminal-line.ts';

type Style = Parameters<typeof styleText>[0];

/** The output of the demo: lines that remain, and on a terminal a last line that is rewritten. */
export interface Screen {
  heading(text: string): void;
  line(text: string): void;
  /** Replaces the progress line, which the next line removes. Shows nothing if the output is not a terminal. */
  progress(text: string): void;
  table(head: readonly string[], rows: readonly (readonly string[])[]): void;
  /** The text in colour if the stream is a terminal that supports it. */
  paint(style: Style, text: string): string;
}

/** A screen on a stream: colours and rewriting only on a terminal. */
export function screenOn(stream: NodeJS.WriteStream | WriteStream): Screen {
  const paint: Screen['paint'] = (style, text) => styleText(style, text, { stream });
  const progress = terminalLine(stream);
  const line = (text: string): void => {
    progress.write(`${text}\n`);
  };
  return {
    heading: (text) => line(`\n${paint('bold', text)}`),
    line,
    progress: progress.show,
    table: (head, rows) => {
      const table = new Table({
        head: head.map((title) => paint('bold', title)),
        style: { head: [], border: [], compact: true },
        colAligns: head.map((_, index) => (index === 0 ? 'left' : 'right')),
      });
      table.push(...rows.map((row) => [...row]));
      line(table.toString());
    },
    paint,
  };
}

/** 12,345 */
export function grouped(figure: number | bigint): string {
  return figure.toLocaleString('en-US');
}
