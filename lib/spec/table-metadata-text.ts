import { parseJson } from './json.ts';
import { arrayEnd, decode, type Span, scanArray, scanObject, valueEnd } from './json-members.ts';
import type { JsonObject } from './json-object.ts';
import type { Snapshot } from './snapshot.ts';
import { readSnapshot } from './snapshot-json.ts';
import { extendSnapshots } from './snapshot-log.ts';

/** Arrays that grow: after every commit they repeat what they had before. */
const REPEATING = ['snapshots', 'snapshot-log'] as const;
type Repeating = (typeof REPEATING)[number];

/** Members that hardly any commit changes. */
const LASTING: ReadonlySet<string> = new Set(['schemas', 'partition-specs', 'sort-orders', 'properties']);

/**
 * The parts of a metadata text that the next text probably repeats: the text of the growing arrays, and the lasting members with
 * the values that were parsed from them.
 */
export interface HistoryText extends Readonly<Partial<Record<Repeating, Uint8Array>>> {
  readonly lasting?: ReadonlyMap<string, LastingValue>;
}

interface LastingValue {
  readonly text: Uint8Array;
  readonly value: unknown;
}

/** Metadata as received, JSON in UTF-8, and the positions of its members, so that it can be read without parsing all of it. */
export interface MetadataText {
  readonly text: Uint8Array;
  readonly span: Span;
  readonly members: ReadonlyMap<string, Span>;
  /** The parts that equal the known text byte by byte: the beginning of an array, or a whole value. Their known values are used. */
  readonly repeated: HistoryText;
}

/**
 * Finds the members of the metadata that begins at a position of a text.
 *
 * @param known the history text of the previous state. The answer to a warm commit repeats it; comparing is faster than scanning
 * @throws SyntaxError if there is no object at `from`
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

/** What is read from a metadata text: all members but the unread ones, the snapshots, and the text that the next one will repeat. */
export interface ReadMetadata {
  readonly metadata: JsonObject;
  readonly snapshots: ReadonlyMap<bigint, Snapshot>;
  readonly historyText: HistoryText;
}

/** Members that grow with every commit and that no commit needs. */
const UNREAD: ReadonlySet<string> = new Set([
  ...REPEATING,
  'metadata-log',
  'partition-statistics',
  'statistics',
]);

/**
 * Reads metadata. If the array of snapshots begins with the bytes that the previous state was read from, its snapshots are taken
 * from that state, and only those that follow are parsed.
 *
 * @returns undefined if the array of snapshots is missing or cannot be read this way; the caller then parses the whole text
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
    // Parsing the whole text decides whether it is an error.
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}

function isRepeating(name: string): name is Repeating {
  return (REPEATING as readonly string[]).includes(name);
}

/** The length of the known array without its closing bracket, if the text at this position begins with it; otherwise 0. */
function repeatedBytes(text: Uint8Array, at: number, known: Uint8Array): number {
  const length = known.length - 1;
  if (known[0] !== OPEN_ARRAY) return 0;
  const same = Buffer.compare(text.subarray(at, at + length), known.subarray(0, length)) === 0;
  return same && isBetweenElements(text[at + length]) ? length : 0;
}

/** Whether the text at this position is the known value. Only arrays and objects, because their last byte shows that they end. */
function isRepeated(text: Uint8Array, at: number, known: Uint8Array): boolean {
  const opens = known[0] === OPEN_ARRAY || known[0] === OPEN_OBJECT;
  return opens && Buffer.compare(text.subarray(at, at + known.length), known) === 0;
}

const OPEN_ARRAY = 0x5b;
const OPEN_OBJECT = 0x7b;

/** Whether the byte is a comma or ends the array, so that the element before it is complete. */
function isBetweenElements(byte: number | undefined): boolean {
  return byte === 0x2c || byte === 0x5d;
}

/** Reads the snapshots one by one: a text and a tree of all at once would take ten times the memory of what is kept. */
function readAll(text: Uint8Array, { start }: Span): ReadonlyMap<bigint, Snapshot> {
  const all = new Map<bigint, Snapshot>();
  scanArray(text, start, (element) => {
    const snapshot = readSnapshot(parseJson(decode(text, element)));
    all.set(snapshot.snapshotId, snapshot);
  });
  return all;
}

/** The previous snapshots, followed by those in the rest of the array; undefined if these cannot be appended. */
function readOn(
  text: Uint8Array,
  end: Span,
  before: ReadonlyMap<bigint, Snapshot>,
): ReadonlyMap<bigint, Snapshot> | undefined {
  const rest = decode(text, end);
  if (rest === ']') return before;
  // A comma must be followed by an element: the parser refuses a missing one.
  const added = parseJson(`[${rest.slice(1, -1)}]`) as readonly unknown[];
  return added.length === 0 ? undefined : extendSnapshots(before, added.map(readSnapshot));
}
