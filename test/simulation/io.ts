import type { FaultKind, Operation } from './faults.ts';
import type { World } from './world.ts';

/** A running container: once it is dead no call of it is ever answered. */
export interface Instance {
  readonly name: string;
  alive: boolean;
  /** Ends it; what it was working on is never heard of again. */
  readonly kill: (why: string) => void;
}

/** One request to a service. */
export interface Call<T> {
  readonly operation: Operation;
  readonly about: string;
  /** What it does there, at one moment; what it throws is the answer. */
  readonly effect: () => T;
  /** What a caller makes of no answer, or of one that says nothing. */
  readonly unanswered: (why: string) => T;
  /** What the service says instead, by the kind of fault. */
  readonly answers?: Partial<Record<FaultKind, (effect: () => T) => T>>;
}

export type Io = <T>(call: Call<T>) => Promise<T>;

/** How long a caller waits for an answer. */
const GIVE_UP_MS = 20_000;

/** The way from one container to the services: latencies, and what the schedule lets befall its calls. */
export function ioOf(world: World, instance: Instance): Io {
  const latencies = world.draws(`latency/${instance.name}`);
  let calls = 0;

  return <T>(call: Call<T>) =>
    new Promise<T>((resolve, reject) => {
      if (!instance.alive) return;
      calls += 1;
      const site = `${instance.name}.${calls}`;
      const fault = world.faultAt(site, call.operation);
      const { after } = world.timeline;
      const there = latencies.integer(2, 40);
      const back = latencies.integer(2, 40);

      const settle = (answer: () => T): void => {
        if (!instance.alive) return;
        try {
          resolve(answer());
        } catch (error) {
          reject(error);
        }
      };
      const act = (): (() => T) => {
        try {
          const value = call.effect();
          return () => value;
        } catch (error) {
          return () => {
            throw error;
          };
        }
      };
      const giveUp = (why: string): void => settle(() => call.unanswered(why));

      if (world.traced) {
        const befalls = fault === undefined ? '' : `: ${fault.kind} (${fault.ms} ms)`;
        world.trace(`${site} ${call.operation} ${call.about}${befalls}`);
      }
      if (fault === undefined) {
        after(there, () => {
          const answer = act();
          // Between an object's change and its answer nothing else looks at it: one moment will do.
          if (call.operation.startsWith('store.')) settle(answer);
          else after(back, () => settle(answer));
        });
        return;
      }
      switch (fault.kind) {
        case 'crash before':
          instance.kill(`crash before ${site}`);
          break;
        case 'crash after':
          after(there, () => {
            act();
            instance.kill(`crash after ${site}`);
          });
          break;
        case 'lost':
          after(Math.min(fault.ms, GIVE_UP_MS), () => giveUp('the connection was reset'));
          break;
        case 'answer lost':
          after(there, act);
          after(Math.min(fault.ms, GIVE_UP_MS), () => giveUp('504'));
          break;
        case 'late':
          after(GIVE_UP_MS, () => giveUp('timed out'));
          after(GIVE_UP_MS / 2 + fault.ms, act);
          break;
        case 'slow':
          after(fault.ms / 2, () => {
            const answer = act();
            after(fault.ms / 2, () => settle(answer));
          });
          break;
        default: {
          const answer = call.answers?.[fault.kind] ?? (() => call.unanswered(fault.kind));
          after(there, () => {
            settle(() => answer(call.effect));
          });
        }
      }
    });
}
