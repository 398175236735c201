/**
 * Limits how many bytes of footers an invocation holds at once, over all its tables. A batch whose footers do not fit is
 * registered in several rounds, each with its own commit.
 */
export interface FooterMemory {
  /**
   * Reserves room for a footer; false when there is none. A round that holds nothing yet always gets room, so that it makes
   * progress.
   */
  take(round: FooterRound, bytes: number): boolean;
  /** Ends a round and releases what it reserved. */
  release(round: FooterRound): void;
}

/** What one table's round holds. */
export interface FooterRound {
  heldBytes: number;
  /** The round has ended: reads that are still waiting are not started. */
  isOver: boolean;
}

/** An eighth of the memory the function is deployed with. */
const MAX_BYTES = 128 * 1024 * 1024;

export function footerMemory(maxBytes = MAX_BYTES): FooterMemory {
  let held = 0;
  return {
    take(round, bytes) {
      // A read that ends after its round would keep its room for ever.
      if (round.isOver) return false;
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
