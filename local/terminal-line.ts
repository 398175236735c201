import { styleText } from 'node:util';

/** What of a stream a line needs to know. */
export type Terminal = Pick<NodeJS.WriteStream, 'write'> & {
  readonly isTTY?: boolean;
  readonly columns?: number;
};

/** A dim line at the bottom of a terminal, rewritten in place; nothing if the stream is not a terminal. */
export interface TerminalLine {
  /** Shows a text in its place, cut to the terminal's width, since a wrapped line could not be removed again. */
  show(text: string): void;
  /** Takes it away. */
  clear(): void;
  /** Writes what stays, in the line's place. */
  write(text: string): boolean;
}

const TAKE_AWAY = '\r\u001b[2K';
/** Also where a terminal does not know its width, and says 0. */
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
