import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Of answers read, between two collections of the old generation too: a kept answer outlives a minor one. */
const MAJOR_AFTER_BYTES = 32 * 1024 * 1024;

let collect: NodeJS.GCFunction | undefined;
let readBytes = 0;

/**
 * Collects what a large answer leaves behind: its chunks, and the answer that it takes the place of. They lie outside of V8's heap, and
 * only every 64 MiB of them make V8 collect by itself. A minor collection takes a millisecond or two.
 *
 * V8 hands out its `gc` without `--expose-gc` on the command line, which would cost each cold start the code cache of Node's own modules.
 */
export function collectGarbage(answerBytes: number): void {
  collect ??= exposedGc();
  readBytes += answerBytes;
  if (readBytes < MAJOR_AFTER_BYTES) return void collect({ type: 'minor' });
  readBytes = 0;
  collect({ type: 'major' });
}

function exposedGc(): NodeJS.GCFunction {
  setFlagsFromString('--expose-gc');
  try {
    return runInNewContext('gc') as NodeJS.GCFunction;
  } finally {
    setFlagsFromString('--no-expose-gc');
  }
}
