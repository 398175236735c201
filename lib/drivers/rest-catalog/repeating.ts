import type { Entry } from '../../config/entry.ts';
import type { Clock, Random, Timers } from '../../ports.ts';
import type { HttpExchange } from '../http.ts';
import { connectionFault } from './connection-fault.ts';
import { outcomeOf, retryAfterMs } from './outcome.ts';

export type RetrySettings = Pick<Entry, 'retry'>;

export interface RepeatingPorts {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
}

const maxAttempts = 4;
/** A server that let a request wait for this long without an answer would let its repetitions wait too, and with them the whole invocation. */
const LONGEST_UNANSWERED_MS = 20_000;

/**
 * Sends a repeatable request, at most four times while the server is unavailable or throttles, and once only where it hangs. The wait is as
 * long as the server asks, else longer each time.
 */
export async function repeatedly<Exchanged extends { readonly answer: HttpExchange }>(
  send: () => Promise<Exchanged>,
  { retry: { initial_ms, max_ms, jitter } }: RetrySettings,
  { clock, timers, random }: RepeatingPorts,
): Promise<Exchanged> {
  for (let attempt = 1; ; attempt += 1) {
    const sentMs = clock.now();
    const exchanged = await send();
    const { answer } = exchanged;
    const hung = answer.kind !== 'answer' && clock.now() - sentMs >= LONGEST_UNANSWERED_MS;
    if (attempt === maxAttempts || hung || !isPassing(answer)) return exchanged;
    const asked = answer.kind === 'answer' ? retryAfterMs(answer, clock.now()) : undefined;
    const backOff = initial_ms * 2 ** (attempt - 1) * (1 - jitter * random.next());
    await timers.sleep(Math.min(asked ?? backOff, max_ms));
  }
}

function isPassing(answer: HttpExchange): boolean {
  if (answer.kind !== 'answer') return connectionFault(answer.cause) === undefined;
  const outcome = outcomeOf(answer);
  return outcome === 'unknown' || outcome === 'throttled';
}
