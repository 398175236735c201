/**
 * The plain spelling of a URI, for comparisons only: `s3a://` and `s3n://` are spellings of `s3://` (cases.md D15), `gcs://` is
 * one of `gs://`.
 */
export function plainSpelling(uri: string): string {
  return uri.replace(/^s3[an]:\/\//, 's3://').replace(/^gcs:\/\//, 'gs://');
}

/** Whether one of two prefixes lies within the other. */
export function isNested(one: string, other: string): boolean {
  return one.startsWith(other) || other.startsWith(one);
}

/** Whether a URL asks for a connection in the clear. A scheme may be written in any case. */
export function isPlainHttp(url: string): boolean {
  return /^\s*http:/i.test(url);
}

/** Removes the slashes at the end, in time linear in the length of the text, however many slashes a catalog sends. */
export function withoutEndSlashes(text: string): string {
  return text.replace(/(?<!\/)\/+$/, '');
}
