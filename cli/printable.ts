import { stringifyJson } from '../lib/spec/json.ts';

/** Control characters, and those that reorder, hide or break text. */
const STEERING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Makes text from a file or an event safe to print: nothing in it can control the terminal. */
export function printable(text: string): string {
  return text.replaceAll(STEERING, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`);
}

/** JSON that is safe to print, and means the same. */
export function printableJson(value: unknown, indent?: number): string {
  return escapedJson(stringifyJson(value, indent));
}

/** Lines of JSON that are safe to print: JSON itself escapes only the characters below U+0020. */
export function escapedJson(lines: string): string {
  return lines.replaceAll(STEERING, (char) => (char === '\n' ? char : char.split('').map(escaped).join('')));
}

function escaped(codeUnit: string): string {
  return `\\u${codeUnit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** The same for text whose line breaks are meant, such as the message of a refusal with a line for each violation. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}
