import type { Contents } from './contents.ts';
import { type Draws, drawsOf } from './draws.ts';
import { type Fault, type Faults, faultsOf, type Operation } from './faults.ts';
import type { Schedule } from './schedule.ts';
import { type Timeline, timeline } from './timeline.ts';

/** The shared state of a run: time, random draws, faults, trace and violations. */
export interface World {
  readonly schedule: Schedule;
  readonly contents: Contents;
  readonly timeline: Timeline;
  readonly faults: Faults;
  /** Set when faults are over, and the queues only have to be emptied. */
  calm: boolean;
  faultAt(site: string, operation: Operation): Fault | undefined;
  /** The run's stream of random draws with this name. */
  draws(name: string): Draws;
  readonly traced: boolean;
  trace(line: string): void;
  readonly lines: readonly string[];
  /** Records an invariant that does not hold. */
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
