import { setImmediate } from 'node:timers/promises';

/** Virtual time: what is to happen, in order; between two events every promise that can go on has gone on. */
export interface Timeline {
  now(): number;
  /** Lets `act` happen that many milliseconds from now; of two at the same time the first said comes first. Answers how to call it off. */
  after(ms: number, act: () => void): () => void;
  /** Runs until nothing is left to happen; false when that takes more than `maxEvents`. */
  run(maxEvents: number): Promise<boolean>;
}

export function timeline(startMs: number): Timeline {
  let nowMs = startMs;
  /** Latest first, so that the next one is taken from the end. */
  const events: { readonly atMs: number; readonly act: () => void }[] = [];

  return {
    now: () => nowMs,
    after(ms, act) {
      const event = { atMs: nowMs + Math.max(0, Math.round(ms)), act };
      let place = events.length;
      while (place > 0 && (events[place - 1]?.atMs ?? 0) <= event.atMs) place -= 1;
      events.splice(place, 0, event);
      return () => {
        const at = events.indexOf(event);
        if (at >= 0) events.splice(at, 1);
      };
    },
    async run(maxEvents) {
      for (let count = 0; count < maxEvents; count += 1) {
        const event = events.pop();
        if (event === undefined) return true;
        nowMs = event.atMs;
        event.act();
        await setImmediate();
      }
      return false;
    },
  };
}
