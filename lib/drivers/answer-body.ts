/** The body of an answer as it comes, chunk by chunk. */
export interface AnswerBody {
  readonly sizeBytes: number;
  push(chunk: Buffer): void;
  /** All of it; nothing can follow. */
  bytes(): Buffer;
}

/**
 * From here on chunks are put in one piece as they come: joining a table's metadata of ten thousand snapshots at the end would take
 * longer than all that a commit does besides. Below, what is joined last is what a minor collection finds youngest.
 */
const GATHERED_BYTES = 8 * 1024 * 1024;

/** @param expectedBytes room for a large body, as far as is known; more is taken too */
export function answerBody(expectedBytes: number): AnswerBody {
  let chunks: Buffer[] = [];
  let room: Buffer | undefined;
  let sizeBytes = 0;

  function gather(chunk: Buffer): void {
    const neededBytes = sizeBytes + chunk.length;
    if (room === undefined || neededBytes > room.length) {
      const larger = Buffer.allocUnsafeSlow(neededBytes <= expectedBytes ? expectedBytes : 2 * neededBytes);
      let at = 0;
      for (const earlier of room === undefined ? chunks : [room]) {
        larger.set(earlier, at);
        at += earlier.length;
      }
      room = larger;
      chunks = [];
    }
    room.set(chunk, sizeBytes);
  }

  return {
    get sizeBytes() {
      return sizeBytes;
    },
    push(chunk) {
      if (sizeBytes + chunk.length < GATHERED_BYTES) chunks.push(chunk);
      else gather(chunk);
      sizeBytes += chunk.length;
    },
    bytes() {
      if (room !== undefined) return room.subarray(0, sizeBytes);
      const [first, ...rest] = chunks;
      const bytes = first === undefined || rest.length > 0 ? Buffer.concat(chunks, sizeBytes) : first;
      chunks = [];
      return bytes;
    },
  };
}
