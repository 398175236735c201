import { plainSpelling } from '../spec/object-uri.ts';
import { hashOf, wordAt } from './text-hash.ts';

/**
 * A set of millions of paths and their file sizes, in 13 bytes per slot with at most three quarters of the slots used. The
 * paths themselves are not kept: they are identified by the first 64 bits of their SHA-256, sizes by their lowest 32 bits.
 */
export interface PathIndex {
  readonly size: number;
  /** False if the path is already in the set. */
  add(uri: string, sizeBytes: number): boolean;
  /** Marks a path as seen, and returns whether it has this size; undefined if the path is not in the set. */
  see(uri: string, sizeBytes: number): 'same size' | 'other size' | undefined;
  wasSeen(uri: string): boolean;
}

const LEAST_CAPACITY = 1024;
const MOST_TAKEN = 0.75;
const TAKEN = 1;
const SEEN = 2;

interface Slots {
  readonly high: Uint32Array;
  readonly low: Uint32Array;
  readonly sizes: Uint32Array;
  readonly marks: Uint8Array;
}

/** @param expected the number of paths to reserve room for; the set grows beyond it */
export function pathIndex(expected = 0): PathIndex {
  let slots = emptySlots(Math.max(LEAST_CAPACITY, Math.ceil((expected + 1) / MOST_TAKEN)));
  let size = 0;

  function grow(): void {
    const old = slots;
    slots = emptySlots(old.marks.length * 2);
    for (let at = 0; at < old.marks.length; at += 1) {
      const mark = old.marks[at] ?? 0;
      if (mark !== 0) put(old.high[at] ?? 0, old.low[at] ?? 0, old.sizes[at] ?? 0, mark);
    }
  }

  function put(high: number, low: number, sizeBytes: number, mark: number): boolean {
    const at = find(slots, high, low);
    if (slots.marks[at] !== 0) return false;
    slots.high[at] = high;
    slots.low[at] = low;
    slots.sizes[at] = sizeBytes;
    slots.marks[at] = mark;
    return true;
  }

  function slotOf(uri: string): number {
    const [high, low] = wordsOf(uri);
    return find(slots, high, low);
  }

  return {
    get size() {
      return size;
    },
    add(uri, sizeBytes) {
      if (size + 1 > slots.marks.length * MOST_TAKEN) grow();
      const [high, low] = wordsOf(uri);
      const isNew = put(high, low, lowBits(sizeBytes), TAKEN);
      if (isNew) size += 1;
      return isNew;
    },
    see(uri, sizeBytes) {
      const at = slotOf(uri);
      if (slots.marks[at] === 0) return undefined;
      slots.marks[at] = SEEN;
      return slots.sizes[at] === lowBits(sizeBytes) ? 'same size' : 'other size';
    },
    wasSeen: (uri) => slots.marks[slotOf(uri)] === SEEN,
  };
}

function emptySlots(capacity: number): Slots {
  return {
    high: new Uint32Array(capacity),
    low: new Uint32Array(capacity),
    sizes: new Uint32Array(capacity),
    marks: new Uint8Array(capacity),
  };
}

/** The slot of the path, or the free slot where it belongs (linear probing). */
function find({ high, low, marks }: Slots, wantedHigh: number, wantedLow: number): number {
  let at = wantedLow % marks.length;
  while (marks[at] !== 0 && (high[at] !== wantedHigh || low[at] !== wantedLow)) at = (at + 1) % marks.length;
  return at;
}

function wordsOf(uri: string): readonly [high: number, low: number] {
  const digest = hashOf(plainSpelling(uri));
  return [wordAt(digest, 0), wordAt(digest, 4)];
}

function lowBits(sizeBytes: number): number {
  return sizeBytes % 2 ** 32;
}
