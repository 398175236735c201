import { parseJson } from './json.ts';
import { decode, jsonMembers, type Span } from './json-members.ts';
import type { JsonObject } from './json-object.ts';
import type { Snapshot } from './snapshot.ts';
import { readSnapshot } from './snapshot-json.ts';
import { extendSnapshots } from './snapshot-log.ts';
import type { TableState } from './table-state.ts';

/** Snapshots that were read, and the array that they were read from. */
export interface ReadSnapshots {
  readonly snapshots: ReadonlyMap<bigint, Snapshot>;
  readonly snapshotsText: Uint8Array;
}

/** What grows with every commit, and is nothing to a commit. */
const UNREAD: ReadonlySet<string> = new Set([
  'metadata-log',
  'partition-statistics',
  'snapshot-log',
  'snapshots',
  'statistics',
]);

/**
 * The metadata without its history, and its snapshots: those that the state before was read from, byte by byte the same, are that state's,
 * what follows them is parsed. A warm commit's answer repeats all but one.
 *
 * @returns undefined where there is no text, no array of snapshots in it, or a snapshot twice: then all of it is to be parsed
 */
export function readMetadataText(
  text: Uint8Array | undefined,
  before: TableState | undefined,
): (ReadSnapshots & { readonly metadata: JsonObject }) | undefined {
  if (text === undefined) return undefined;
  const known = before?.snapshotsText;
  let repeated = 0;
  try {
    const members = jsonMembers(text, (name, at) => {
      if (name !== 'snapshots') return 0;
      repeated = known === undefined ? 0 : repeatedBytes(text, at, known);
      return repeated;
    });
    const span = members.get('snapshots');
    if (span === undefined) return undefined;
    const snapshots = readSnapshots(text, span, repeated > 0 ? before?.snapshots : undefined, repeated);
    if (snapshots === undefined) return undefined;
    const small = [...members].filter(([name]) => !UNREAD.has(name));
    return {
      metadata: Object.fromEntries(small.map(([name, at]) => [name, parseJson(decode(text, at))])),
      snapshots,
      snapshotsText: text.subarray(span.start, span.end),
    };
  } catch (error) {
    // What is not understood here is for the whole parse to judge.
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}

/** How much of the text at a place is the known array but for its closing bracket; 0 where it is another one. */
function repeatedBytes(text: Uint8Array, at: number, known: Uint8Array): number {
  const length = known.length - 1;
  const same = Buffer.compare(text.subarray(at, at + length), known.subarray(0, length)) === 0;
  return same && isBetweenElements(text[at + length]) ? length : 0;
}

/** A comma or the array's end: the last element is not longer than it was. */
function isBetweenElements(byte: number | undefined): boolean {
  return byte === 0x2c || byte === 0x5d;
}

function readSnapshots(
  text: Uint8Array,
  { start, end }: Span,
  before: ReadonlyMap<bigint, Snapshot> | undefined,
  repeated: number,
): ReadonlyMap<bigint, Snapshot> | undefined {
  if (before === undefined) {
    const all = parseJson(decode(text, { start, end }));
    if (!Array.isArray(all)) return undefined;
    return new Map(all.map(readSnapshot).map((snapshot) => [snapshot.snapshotId, snapshot]));
  }
  const rest = decode(text, { start: start + repeated, end });
  if (rest === ']') return before;
  // Behind a comma there is an element: the parser refuses a missing one.
  const added = parseJson(`[${rest.slice(1, -1)}]`) as readonly unknown[];
  return added.length === 0 ? undefined : extendSnapshots(before, added.map(readSnapshot));
}
