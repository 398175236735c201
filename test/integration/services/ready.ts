import { setTimeout as sleep } from 'node:timers/promises';

/** What a probe throws when waiting is of no use. */
export class NeverReady extends Error {}

/**
 * Asks `probe` until it says true. A probe that throws says false, unless it throws `NeverReady`; `failed` ends the
 * wait early with its reason.
 * @throws Error when the time is up
 */
export async function untilReady(
  what: string,
  probe: () => Promise<boolean>,
  options: { readonly timeoutMs: number; readonly failed?: () => string | undefined },
): Promise<void> {
  const deadline = Date.now() + options.timeoutMs;
  while (Date.now() < deadline) {
    const reason = options.failed?.();
    if (reason !== undefined) throw new Error(`Cannot start ${what}: ${reason}`);
    const ready = await probe().catch((error: unknown) => (error instanceof NeverReady ? error : false));
    if (ready instanceof NeverReady) throw new Error(`Cannot start ${what}: ${ready.message}`);
    if (ready) return;
    await sleep(100);
  }
  throw new Error(`Cannot start ${what}: not ready after ${options.timeoutMs / 1000} s`);
}

/** Whether a GET is answered with 200 within two seconds. */
export async function answers(url: string): Promise<boolean> {
  const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
  await response.arrayBuffer();
  return response.ok;
}
