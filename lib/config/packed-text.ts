import { gunzipSync, gzipSync } from 'node:zlib';

const MARK = 'gzip:';
/** In bytes, unpacked. Far more than a configuration has. */
const LONGEST_TEXT = 16 * 1024 * 1024;

/** The text of a configuration in a form that fits into a function's environment: `gzip:` and the text, by gzip and in Base64. */
export function packText(text: string): string {
  return MARK + gzipSync(text, { level: 9 }).toString('base64');
}

export function isPacked(value: string): boolean {
  return value.startsWith(MARK);
}

/** The text that was packed; undefined if the value is not a packed one. @throws if it cannot be unpacked */
export function unpackText(value: string): string | undefined {
  if (!isPacked(value)) return undefined;
  const bytes = Buffer.from(value.slice(MARK.length), 'base64');
  return gunzipSync(bytes, { maxOutputLength: LONGEST_TEXT }).toString();
}
