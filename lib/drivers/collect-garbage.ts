import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The number of bytes of answers between two collections of the old generation, which an answer reaches when it survives a minor collection. */
const MAJOR_AFTER_BYTES = 12 * 1024 * 1024;

let collect: NodeJS.GCFunction | undefined;
let readBytes = 0;
let isShrunk = false;

/**
 * Collects the garbage of a large answer: its chunks, and the answer that it replaces. Both lie outside of V8's heap, and V8 collects
 * by itself only after 64 MiB of them. A minor collection takes a millisecond or two.
 *
 * The first parsing of a large table lets the young generation grow to ten times what is needed from then on. So the first major collection
 * is one that shrinks it, which takes some 50 ms, and it does not grow again.
 *
 * `gc` is obtained at run time, because `--expose-gc` on the command line would disable the code cache of Node's own modules at each cold start.
 */
export function collectGarbage(answerBytes: number): void {
  collect ??= exposedGc();
  readBytes += answerBytes;
  if (readBytes < MAJOR_AFTER_BYTES) return void collect({ type: 'minor' });
  readBytes = 0;
  collect(isShrunk ? { type: 'major' } : { type: 'major', flavor: 'last-resort' });
  isShrunk = true;
}

function exposedGc(): NodeJS.GCFunction {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--expose-gc');
  try {
    return runInNewContext('gc') as NodeJS.GCFunction;
  } finally {
    setFlagsFromString('--no-expose-gc');
  }
}
