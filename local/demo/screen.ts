import type { WriteStream } from 'node:tty';
import { styleText } from 'node:util';
import Table from 'cli-table3';
import { terminalLine } from '../terminal-line.ts';

type Style = Parameters<typeof styleText>[0];

/** Where the demo tells what it sees: lines that stay, and on a terminal one that is rewritten. */
export interface Screen {
  heading(text: string): void;
  line(text: string): void;
  /** Replaces the last progress; the next line does away with it. Nothing where the output is no terminal. */
  progress(text: string): void;
  table(head: readonly string[], rows: readonly (readonly string[])[]): void;
  /** Coloured where the stream is a terminal that can. */
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
