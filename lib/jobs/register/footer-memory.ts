/**
 * How many bytes of footers an invocation holds at once, over all its tables. A batch whose footers do not fit is registered in
 * several rounds, each with its own commit.
 */
export interface FooterMemory {
  /** Takes room for a footer; false when there is none. A round that holds nothing yet always gets room, so that it goes on. */
  take(round: FooterRound, bytes: number): boolean;
  /** Ends a round and gives back what it took. */
  release(round: FooterRound): void;
}

/** What one table's round holds. */
export interface FooterRound {
  heldBytes: number;
  /** It has ended: reads of it that still wait are not begun. */
  isOver: boolean;
}

/** A quarter of the smallest memory the function is deployed with. */
const MAX_BYTES = 128 * 1024 * 1024;

export function footerMemory(maxBytes = MAX_BYTES): FooterMemory {
  let held = 0;
  return {
    take(round, bytes) {
      if (round.heldBytes > 0 && held + bytes > maxBytes) return false;
      round.heldBytes += bytes;
      held += bytes;
      return true;
    },
    release(round) {
      held -= round.heldBytes;
      round.heldBytes = 0;
      round.isOver = true;
    },
  };
}
