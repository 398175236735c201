import type { FaultKind, Operation } from './faults.ts';
import type { World } from './world.ts';

/** A running container. Once it is dead, none of its calls is answered. */
export interface Instance {
  readonly name: string;
  alive: boolean;
  /** Ends the container, and with it whatever it was doing. */
  readonly kill: (why: string) => void;
}

/** A request to a service. */
export interface Call<T> {
  readonly operation: Operation;
  readonly about: string;
  /** The effect at the service, which is atomic. Its result, or the error that it throws, is the answer. */
  readonly effect: () => T;
  /** What the caller concludes from a missing answer, or from one that says nothing. */
  readonly unanswered: (why: string) => T;
  /** The answer of the service by kind of fault. */
  readonly answers?: Partial<Record<FaultKind, (effect: () => T) => T>>;
}

export type Io = <T>(call: Call<T>) => Promise<T>;

/** How long a caller waits for an answer. */
const GIVE_UP_MS = 20_000;

/** The network between a container and the services: latencies, and the faults of the schedule. */
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
      const requestMs = latencies.integer(2, 40);
      const answerMs = latencies.integer(2, 40);

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
        const faulty = fault === undefined ? '' : `: ${fault.kind} (${fault.ms} ms)`;
        world.trace(`${site} ${call.operation} ${call.about}${faulty}`);
      }
      if (fault === undefined) {
        after(requestMs, () => {
          const answer = act();
          // A store's answer depends on nothing that happens after its effect, so both are one event.
          if (call.operation.startsWith('store.')) settle(answer);
          else after(answerMs, () => settle(answer));
        });
        return;
      }
      switch (fault.kind) {
        case 'crash before':
          instance.kill(`crash before ${site}`);
          break;
        case 'crash after':
          after(requestMs, () => {
            act();
            instance.kill(`crash after ${site}`);
          });
          break;
        case 'lost':
          after(Math.min(fault.ms, GIVE_UP_MS), () => giveUp('the connection was reset'));
          break;
        case 'answer lost':
          after(requestMs, act);
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
          after(requestMs, () => {
            settle(() => answer(call.effect));
          });
        }
      }
    });
}
