import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { type Terminal, terminalLine } from '../../local/terminal-line.ts';

function terminal(isTTY: boolean, columns = 20) {
  const stream = new PassThrough();
  const written = () => String(stream.read() ?? '');
  return { stream: Object.assign(stream, { isTTY, columns }) as unknown as Terminal, written };
}

test('a line is replaced by the next, and by what stays', () => {
  const { stream, written } = terminal(true);
  const line = terminalLine(stream);
  line.show('1 of 2');
  line.show('2 of 2');
  line.write('done\n');
  line.write('and more\n');
  const shown = written().split('\r\u001b[2K');
  expect(shown).toHaveLength(4);
  expect(shown.slice(1, 3)).toEqual([expect.stringContaining('1 of 2'), expect.stringContaining('2 of 2')]);
  expect(shown[3]).toBe('done\nand more\n');
});

test('a line is cut to the width, since what has wrapped could not be taken away', () => {
  const { stream, written } = terminal(true, 10);
  terminalLine(stream).show('0123456789abc');
  expect(written()).toContain('012345678');
  expect(written()).not.toContain('9');
  const unknown = terminal(true, 0);
  terminalLine(unknown.stream).show('0123456789abc');
  expect(unknown.written()).toContain('0123456789abc');
});

test('where there is no terminal, only what stays is written', () => {
  const { stream, written } = terminal(false);
  const line = terminalLine(stream);
  line.show('1 of 2');
  line.clear();
  line.write('done\n');
  expect(written()).toBe('done\n');
});
