import { setImmediate } from 'node:timers/promises';
import type { Clock, Timers } from '../../lib/ports.ts';

export interface VirtualTime {
  readonly clock: Clock;
  readonly timers: Timers;
  /** Lets that many milliseconds pass and wakes who is due, in order. */
  advance(ms: number): Promise<void>;
  /** Awaits `work`; whenever everybody sleeps, time jumps to whoever wakes first. */
  run<T>(work: Promise<T>): Promise<T>;
}

/** A clock that moves only when told to, and timers that follow it. */
export function virtualTime(startMs: number = Date.UTC(2026, 0, 1)): VirtualTime {
  let nowMs = startMs;
  let sleepers: { readonly atMs: number; readonly wake: () => void }[] = [];

  async function moveTo(untilMs: number): Promise<void> {
    for (;;) {
      await setImmediate();
      const next = Math.min(...sleepers.map(({ atMs }) => atMs));
      if (next > untilMs) break;
      nowMs = Math.max(nowMs, next);
      const due = sleepers.filter(({ atMs }) => atMs === next);
      sleepers = sleepers.filter(({ atMs }) => atMs !== next);
      for (const { wake } of due) wake();
    }
    nowMs = Math.max(nowMs, untilMs);
  }

  return {
    clock: { now: () => nowMs },
    timers: {
      sleep: (ms, signal) =>
        new Promise((wake) => {
          if (signal?.aborted) return wake();
          const sleeper = { atMs: nowMs + Math.max(0, ms), wake };
          sleepers.push(sleeper);
          signal?.addEventListener('abort', () => {
            sleepers = sleepers.filter((other) => other !== sleeper);
            wake();
          });
        }),
    },
    advance: (ms) => moveTo(nowMs + ms),
    async run(work) {
      let done = false;
      const ended = work.finally(() => {
        done = true;
      });
      ended.catch(() => undefined);
      while (!done) {
        await setImmediate();
        if (!done && sleepers.length > 0) await moveTo(Math.min(...sleepers.map(({ atMs }) => atMs)));
      }
      return ended;
    },
  };
}
