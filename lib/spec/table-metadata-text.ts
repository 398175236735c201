import { parseJson } from './json.ts';
import { arrayEnd, decode, type Span, scanArray, scanObject, valueEnd } from './json-members.ts';
import type { JsonObject } from './json-object.ts';
import type { Snapshot } from './snapshot.ts';
import { readSnapshot } from './snapshot-json.ts';
import { extendSnapshots } from './snapshot-log.ts';

/** The arrays in which the metadata repeats, with every commit, what it said before. */
const REPEATING = ['snapshots', 'snapshot-log'] as const;
type Repeating = (typeof REPEATING)[number];

/** What hardly any commit changes. */
const LASTING: ReadonlySet<string> = new Set(['schemas', 'partition-specs', 'sort-orders', 'properties']);

/** What one metadata's text says of the next one's: the text of the arrays that repeat, and what lasts with the values it was read as. */
export interface HistoryText extends Readonly<Partial<Record<Repeating, Uint8Array>>> {
  readonly lasting?: ReadonlyMap<string, LastingValue>;
}

interface LastingValue {
  readonly text: Uint8Array;
  readonly value: unknown;
}

/** Metadata as it came, JSON in UTF-8, and where its members lie: it can be read without parsing all of it. */
export interface MetadataText {
  readonly text: Uint8Array;
  readonly span: Span;
  readonly members: ReadonlyMap<string, Span>;
  /** What is byte by byte the known one's, an array's beginning or all of a value, and may be read from there. */
  readonly repeated: HistoryText;
}

/**
 * Finds the members of the metadata that begins at a place of a text.
 *
 * @param known of the state before: a warm commit's answer repeats it, and what is repeated is compared, not looked through
 * @throws SyntaxError when there is no object
 */
export function scanMetadata(text: Uint8Array, from: number, known: HistoryText = {}): MetadataText {
  const members = new Map<string, Span>();
  const repeated: Partial<Record<Repeating, Uint8Array>> = {};
  const lasting = new Map<string, LastingValue>();
  const end = scanObject(text, from, (name, start) => {
    let at: number | undefined;
    if (isRepeating(name)) {
      const array = known[name];
      const length = array === undefined ? 0 : repeatedBytes(text, start, array);
      if (length > 0) {
        at = arrayEnd(text, start + length);
        repeated[name] = array as Uint8Array;
      } else delete repeated[name];
    }
    const last = known.lasting?.get(name);
    lasting.delete(name);
    if (last !== undefined && isRepeated(text, start, last.text)) {
      at = start + last.text.length;
      lasting.set(name, last);
    }
    at ??= valueEnd(text, start);
    members.set(name, { start, end: at });
    return at;
  });
  return { text, span: { start: from, end }, members, repeated: { ...repeated, lasting } };
}

/** What is read of metadata's text: all but its history, its snapshots, and the text that the next one will repeat. */
export interface ReadMetadata {
  readonly metadata: JsonObject;
  readonly snapshots: ReadonlyMap<bigint, Snapshot>;
  readonly historyText: HistoryText;
}

/** What grows with every commit, and is nothing to a commit. */
const UNREAD: ReadonlySet<string> = new Set([
  ...REPEATING,
  'metadata-log',
  'partition-statistics',
  'statistics',
]);

/**
 * Reads metadata. Of its snapshots those that the state before was read from, byte by byte the same, are that state's; what follows them
 * is parsed.
 *
 * @returns undefined where there is no array of snapshots, or one is there twice: then all of it is to be parsed
 */
export function readMetadataText(
  found: MetadataText,
  before:
    | { readonly snapshots: ReadonlyMap<bigint, Snapshot>; readonly historyText?: HistoryText }
    | undefined,
): ReadMetadata | undefined {
  const { text, members, repeated } = found;
  const span = members.get('snapshots');
  if (span === undefined) return undefined;
  const known = before?.historyText?.snapshots;
  try {
    const snapshots =
      before !== undefined && known !== undefined && repeated.snapshots === known
        ? readOn(text, { start: span.start + known.length - 1, end: span.end }, before.snapshots)
        : readAll(text, span);
    if (snapshots === undefined) return undefined;
    const metadata: Record<string, unknown> = {};
    const lasting = new Map<string, LastingValue>();
    const history: Partial<Record<Repeating, Uint8Array>> = {};
    for (const [name, at] of members) {
      if (isRepeating(name)) history[name] = text.subarray(at.start, at.end);
      if (UNREAD.has(name)) continue;
      const value = repeated.lasting?.get(name)?.value ?? parseJson(decode(text, at));
      metadata[name] = value;
      if (LASTING.has(name)) lasting.set(name, { text: text.subarray(at.start, at.end), value });
    }
    return { metadata, snapshots, historyText: { ...history, lasting } };
  } catch (error) {
    // What is not understood here is for the whole parse to judge.
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}

function isRepeating(name: string): name is Repeating {
  return (REPEATING as readonly string[]).includes(name);
}

/** How much of the text at a place is the known array but for its closing bracket; 0 where it is another one. */
function repeatedBytes(text: Uint8Array, at: number, known: Uint8Array): number {
  const length = known.length - 1;
  if (known[0] !== OPEN_ARRAY) return 0;
  const same = Buffer.compare(text.subarray(at, at + length), known.subarray(0, length)) === 0;
  return same && isBetweenElements(text[at + length]) ? length : 0;
}

/** Whether an array or object, which ends by itself, stands at a place of a text. */
function isRepeated(text: Uint8Array, at: number, known: Uint8Array): boolean {
  const opens = known[0] === OPEN_ARRAY || known[0] === OPEN_OBJECT;
  return opens && Buffer.compare(text.subarray(at, at + known.length), known) === 0;
}

const OPEN_ARRAY = 0x5b;
const OPEN_OBJECT = 0x7b;

/** A comma or the array's end: the last element is not longer than it was. */
function isBetweenElements(byte: number | undefined): boolean {
  return byte === 0x2c || byte === 0x5d;
}

/** One by one: a text and a tree of all of them at once would be ten times what is kept. */
function readAll(text: Uint8Array, { start }: Span): ReadonlyMap<bigint, Snapshot> {
  const all = new Map<bigint, Snapshot>();
  scanArray(text, start, (element) => {
    const snapshot = readSnapshot(parseJson(decode(text, element)));
    all.set(snapshot.snapshotId, snapshot);
  });
  return all;
}

/** The snapshots before, and those of the array's end that follows them. */
function readOn(
  text: Uint8Array,
  end: Span,
  before: ReadonlyMap<bigint, Snapshot>,
): ReadonlyMap<bigint, Snapshot> | undefined {
  const rest = decode(text, end);
  if (rest === ']') return before;
  // Behind a comma there is an element: the parser refuses a missing one.
  const added = parseJson(`[${rest.slice(1, -1)}]`) as readonly unknown[];
  return added.length === 0 ? undefined : extendSnapshots(before, added.map(readSnapshot));
}
