/** Virtual time: a queue of events. Between two events every promise that can be settled is settled. */
export interface Timeline {
  now(): number;
  /** Schedules `act`. Events at the same time run in the order in which they were scheduled. Returns a function that cancels it. */
  after(ms: number, act: () => void): () => void;
  /** Runs until no event is left. Returns false if more than `maxEvents` were needed. */
  run(maxEvents: number): Promise<boolean>;
}

export function timeline(startMs: number): Timeline {
  let nowMs = startMs;
  /** Latest first: the next event is at the end. */
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
        await settled();
      }
      return false;
    },
  };
}

/**
 * A callback of `process.nextTick` runs when no microtask is left. Nothing in a run waits for anything but promises, so the event loop,
 * whose turns cost system calls, is not needed.
 */
function settled(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
