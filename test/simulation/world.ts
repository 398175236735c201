import type { Contents } from './contents.ts';
import { type Draws, drawsOf } from './draws.ts';
import { type Fault, type Faults, faultsOf, type Operation } from './faults.ts';
import type { Schedule } from './schedule.ts';
import { type Timeline, timeline } from './timeline.ts';

/** What a run shares: its time, its draws, what befalls calls, and what is written down about it. */
export interface World {
  readonly schedule: Schedule;
  readonly contents: Contents;
  readonly timeline: Timeline;
  readonly faults: Faults;
  /** Nothing befalls a call any more: what is left is to come to rest. */
  calm: boolean;
  faultAt(site: string, operation: Operation): Fault | undefined;
  /** A stream of draws of this run. */
  draws(name: string): Draws;
  readonly traced: boolean;
  trace(line: string): void;
  readonly lines: readonly string[];
  /** An invariant that does not hold. */
  violate(invariant: string, what: string): void;
  readonly violations: readonly string[];
}

export const START_MS = Date.UTC(2026, 0, 1);

export function createWorld(schedule: Schedule, contents: Contents, traced: boolean): World {
  const time = timeline(START_MS);
  const faults = faultsOf(schedule);
  const lines: string[] = [];
  const violations: string[] = [];
  const stamp = (): string => new Date(time.now()).toISOString().slice(8, 23);
  const world: World = {
    schedule,
    contents,
    timeline: time,
    faults,
    calm: false,
    faultAt: (site, operation) => (world.calm ? undefined : faults.at(site, operation)),
    draws: (name) => drawsOf(`${schedule.seed}/${name}`),
    traced,
    trace(line) {
      if (traced) lines.push(`${stamp()} ${line}`);
    },
    lines,
    violate(invariant, what) {
      const violation = `${invariant}: ${what}`;
      world.trace(`VIOLATION ${violation}`);
      if (!violations.includes(violation) && violations.length < 20) violations.push(violation);
    },
    violations,
  };
  return world;
}
