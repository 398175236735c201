import { styleText } from 'node:util';

/** The properties of a stream that a line needs. */
export type Terminal = Pick<NodeJS.WriteStream, 'write'> & {
  readonly isTTY?: boolean;
  readonly columns?: number;
};

/** A dim line at the bottom of a terminal that is rewritten in place. Without a terminal it shows nothing. */
export interface TerminalLine {
  /** Replaces the line by a text, cut to the terminal's width, since a wrapped line could not be removed. */
  show(text: string): void;
  /** Removes the line. */
  clear(): void;
  /** Replaces the line by a text that remains. */
  write(text: string): boolean;
}

const TAKE_AWAY = '\r\u001b[2K';
/** The width if the terminal does not report one, or reports 0. */
const USUAL_COLUMNS = 80;

export function terminalLine(stream: Terminal): TerminalLine {
  let isShown = false;
  const clear = () => {
    if (isShown) stream.write(TAKE_AWAY);
    isShown = false;
  };
  return {
    show: (text) => {
      if (stream.isTTY !== true) return;
      const cut = text.slice(0, (stream.columns || USUAL_COLUMNS) - 1);
      stream.write(`${TAKE_AWAY}${styleText('dim', cut, { stream: stream as NodeJS.WriteStream })}`);
      isShown = true;
    },
    clear,
    write: (text) => {
      clear();
      return stream.write(text);
    },
  };
}
