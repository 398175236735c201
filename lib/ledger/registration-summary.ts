import { plainSpelling } from '../spec/object-uri.ts';
import { version } from '../version.ts';
import { hashOf, wordAt } from './text-hash.ts';

/**
 * The ledger: a registration's snapshot lists its segments in its own summary (docs/exactly-once.md, "The ledger"). Of three
 * forms the smallest that fits is used: the segments themselves, eight bytes per segment, or only their number.
 */

/** A segment as the ledger names it: `s3://bucket/key` in its plain spelling, and the ETag of the footer read. */
export interface LedgerEntry {
  readonly uri: string;
  readonly etag: string;
}

/** What a snapshot's summary tells about the segments it registered. */
export type Listing =
  | { readonly kind: 'segments'; readonly etags: ReadonlyMap<string, string> }
  /** The first four bytes of each path's hash, ascending, and of its ETag's hash at the same index. */
  | { readonly kind: 'hashes'; readonly paths: Uint32Array; readonly etags: Uint32Array }
  /** Only the number is known. Where `range` is given, every path is within it, bounds included. */
  | { readonly kind: 'count'; readonly range?: PathRange }
  /** Not a registration of ours. */
  | { readonly kind: 'none' };

/** The first and last of some paths in their plain spelling, in JavaScript's string order. */
export type PathRange = readonly [first: string, last: string];

const SEGMENTS = 'iceberg-registrar.segments';
const BASE = 'iceberg-registrar.base';
const HASHES = 'iceberg-registrar.segment-hashes';
const COUNT = 'iceberg-registrar.segment-count';
const RANGE = 'iceberg-registrar.segment-range';
const VERSION = 'iceberg-registrar.version';

const MAX_SEGMENTS_BYTES = 1024;
const MAX_HASHES_BYTES = 16 * 1024;
const HASH_BYTES = 8;

/** The summary entries of a registration. */
export function registrationSummary(entries: readonly LedgerEntry[]): Record<string, string> {
  const base = commonDirectory(entries.map((entry) => entry.uri));
  const segments = JSON.stringify(entries.map((entry) => `${entry.uri.slice(base.length)}#${entry.etag}`));
  if (Buffer.byteLength(segments) <= MAX_SEGMENTS_BYTES) {
    return { [VERSION]: version, [BASE]: base, [SEGMENTS]: segments };
  }
  const hashes = hashPairs(entries).toString('base64');
  if (hashes.length <= MAX_HASHES_BYTES) return { [VERSION]: version, [HASHES]: hashes };
  return {
    [VERSION]: version,
    [COUNT]: String(entries.length),
    [RANGE]: JSON.stringify(rangeOf(entries.map(({ uri }) => plainSpelling(uri)))),
  };
}

/** Four bytes of each path's hash, and of its ETag's. */
function hashPairs(entries: readonly LedgerEntry[]): Buffer {
  const pairs = Buffer.alloc(entries.length * HASH_BYTES);
  for (const [index, { uri, etag }] of entries.entries()) {
    pairs.writeUInt32BE(shortHash(uri), index * HASH_BYTES);
    pairs.writeUInt32BE(shortHash(etag), index * HASH_BYTES + HASH_BYTES / 2);
  }
  return pairs;
}

/** The first four bytes of the hash of a path or an ETag, as a listing of hashes has it. */
export function shortHash(text: string): number {
  return wordAt(hashOf(text), 0);
}

/** Uses the default sort, which orders like `<`. */
function rangeOf(paths: readonly string[]): PathRange {
  const sorted = paths.toSorted();
  return [sorted[0] ?? '', sorted.at(-1) ?? ''];
}

/** Whether a snapshot of ours has this summary. */
export function isRegistration(summary: Readonly<Record<string, string>>): boolean {
  return VERSION in summary;
}

/** The directory from which a registration's segments come, where its summary names them. */
export function registeredBase(summary: Readonly<Record<string, string>>): string | undefined {
  return summary[BASE];
}

/** Reads a summary back. One that exists but cannot be read counts as a registration whose manifests must be read. */
export function readListing(summary: Readonly<Record<string, string>>): Listing {
  const segments = summary[SEGMENTS];
  if (segments !== undefined) return readSegments(summary[BASE] ?? '', segments) ?? { kind: 'count' };
  const hashes = summary[HASHES];
  if (hashes !== undefined) return readHashes(hashes) ?? { kind: 'count' };
  return summary[COUNT] === undefined ? { kind: 'none' } : { kind: 'count', ...readRange(summary[RANGE]) };
}

/** Whether a listing without names may contain this path; only its manifests can tell. */
export function mayHold({ range }: Listing & { readonly kind: 'count' }, path: string): boolean {
  return range === undefined || (range[0] <= path && path <= range[1]);
}

function readRange(text: string | undefined): { readonly range?: PathRange } {
  const [first, last, ...more] = (text === undefined ? undefined : parseStrings(text)) ?? [];
  return first === undefined || last === undefined || more.length > 0 ? {} : { range: [first, last] };
}

/**
 * Whether a listing of hashes may contain a segment, and under this ETag. A hit must be confirmed in the manifests.
 *
 * @param path the {@link shortHash} of the segment's path
 */
export function hashesMention(
  { paths, etags }: Listing & { readonly kind: 'hashes' },
  path: number,
  etag: string,
): 'path-and-etag' | 'path' | undefined {
  let at = lowerBound(paths, path);
  if (paths[at] !== path) return undefined;
  const wanted = shortHash(etag);
  for (; paths[at] === path; at += 1) if (etags[at] === wanted) return 'path-and-etag';
  return 'path';
}

function lowerBound(sorted: Uint32Array, wanted: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

function readSegments(base: string, text: string): Listing | undefined {
  const names = parseStrings(text);
  if (names === undefined) return undefined;
  const etags = new Map<string, string>();
  for (const name of names) {
    const split = name.lastIndexOf('#');
    if (split < 0) return undefined;
    etags.set(plainSpelling(base + name.slice(0, split)), name.slice(split + 1));
  }
  return { kind: 'segments', etags };
}

function parseStrings(text: string): readonly string[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : undefined;
  } catch {
    return undefined;
  }
}

function readHashes(text: string): Listing | undefined {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length === 0 || bytes.length % HASH_BYTES !== 0) return undefined;
  const pairs = new BigUint64Array(bytes.length / HASH_BYTES);
  for (let at = 0; at < pairs.length; at += 1) pairs[at] = bytes.readBigUInt64BE(at * HASH_BYTES);
  pairs.sort();
  return {
    kind: 'hashes',
    paths: Uint32Array.from(pairs, (pair) => Number(pair >> 32n)),
    etags: Uint32Array.from(pairs, (pair) => Number(pair & 0xffff_ffffn)),
  };
}

/** The longest common prefix that ends in a slash, so that what remains of each entry is the tail of a key. */
function commonDirectory(uris: readonly string[]): string {
  let prefix = uris[0] ?? '';
  for (const uri of uris) {
    while (!uri.startsWith(prefix)) prefix = prefix.slice(0, -1);
  }
  return prefix.slice(0, prefix.lastIndexOf('/') + 1);
}
