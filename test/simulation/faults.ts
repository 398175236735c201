import { drawsOf } from './draws.ts';
import type { Schedule } from './schedule.ts';

export type Operation =
  | 'store.read'
  | 'store.write'
  | 'store.list'
  | 'catalog.load'
  | 'catalog.create'
  | 'catalog.commit'
  | 'queue.send'
  | 'queue.setVisibility'
  | 'receive'
  | 'acknowledge';

/**
 * A fault of one call. `lost`: the request never arrives. `answer lost`: it takes effect, but the caller gets no answer. `late`: it
 * takes effect after the caller has given up. Most others are answers of a service.
 */
export type FaultKind =
  | 'crash before'
  | 'crash after'
  | 'lost'
  | 'answer lost'
  | 'late'
  | 'slow'
  | 'unavailable'
  | 'unauthorized'
  | 'denied'
  | 'exists after'
  | 'stale'
  | 'conflict'
  | 'conflict after'
  | 'invalid'
  | 'invalid after'
  | 'throttled'
  | 'partly taken'
  | 'twice';

export interface Fault {
  /** The call: `register-2.14` is the fourteenth call of register's second container. */
  readonly site: string;
  readonly operation: Operation;
  readonly kind: FaultKind;
  /** The duration of a slow call, of the caller's wait, or of the delay of a late effect. */
  readonly ms: number;
}

const crashes = ['crash before', 'crash after'] as const;

/** The possible faults of an operation. One that is listed twice is twice as likely. */
const possible: Readonly<Record<Operation, readonly [FaultKind, ...FaultKind[]]>> = {
  'store.read': [...crashes, 'lost', 'slow', 'unavailable', 'unauthorized', 'denied'],
  'store.write': [
    ...crashes,
    ...crashes,
    'lost',
    'answer lost',
    'late',
    'slow',
    'unavailable',
    'exists after',
  ],
  'store.list': [...crashes, 'unavailable'],
  'catalog.load': [...crashes, 'lost', 'slow', 'unavailable', 'unauthorized', 'stale'],
  'catalog.create': [...crashes, 'lost', 'answer lost', 'late', 'slow', 'unavailable'],
  'catalog.commit': [
    ...crashes,
    ...crashes,
    'lost',
    'answer lost',
    'answer lost',
    'answer lost',
    'late',
    'late',
    'slow',
    'unavailable',
    'unauthorized',
    'conflict',
    'conflict',
    'conflict after',
    'invalid',
    'invalid after',
    'throttled',
  ],
  'queue.send': [...crashes, 'lost', 'answer lost', 'slow', 'unavailable', 'partly taken'],
  'queue.setVisibility': [...crashes, 'lost', 'answer lost', 'unavailable'],
  receive: ['twice'],
  acknowledge: ['lost'],
};

/** The faults of a run. Those that occurred are kept: a schedule with exactly these faults is the same run. */
export interface Faults {
  at(site: string, operation: Operation): Fault | undefined;
  readonly fired: readonly Fault[];
}

export function faultsOf({ seed, settings, faults }: Schedule): Faults {
  const fired: Fault[] = [];
  const given = faults === 'drawn' ? undefined : new Map(faults.map((fault) => [fault.site, fault]));

  function draw(site: string, operation: Operation): Fault | undefined {
    const rate = operation === 'catalog.commit' ? settings.commitFaultRate : settings.faultRate;
    if (rate === 0) return undefined;
    const draws = drawsOf(`${seed}/${site}`);
    if (!draws.chance(rate)) return undefined;
    const kind = draws.pick(possible[operation]);
    const ms = draws.chance(0.7) ? draws.integer(1_000, 20_000) : draws.integer(20_000, 400_000);
    return { site, operation, kind, ms };
  }

  return {
    fired,
    at(site, operation) {
      const fault = given === undefined ? draw(site, operation) : given.get(site);
      if (fault === undefined || fault.operation !== operation) return undefined;
      fired.push(fault);
      return fault;
    },
  };
}
