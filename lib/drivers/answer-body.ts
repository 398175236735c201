/** Collects the body of an answer, chunk by chunk. */
export interface AnswerBody {
  readonly sizeBytes: number;
  push(chunk: Buffer): void;
  /** The whole body. No chunk may follow. */
  bytes(): Buffer;
}

/**
 * From this size on chunks are copied into one buffer as they arrive: joining the metadata of ten thousand snapshots at the end would take
 * longer than everything else in a commit. Smaller bodies are joined at their end, so that the result is young when garbage is collected.
 */
const GATHERED_BYTES = 6 * 1024 * 1024;

/** @param expectedBytes the size to reserve for a large body; a longer body is accepted too */
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
