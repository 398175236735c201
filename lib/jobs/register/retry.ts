import type { RetryLimits } from '../../commit/attempt-loop.ts';
import type { Entry } from '../../config/entry.ts';

const MAX_ATTEMPTS = 10;

/** How often and after which waits a commit is attempted, by the configuration. */
export function retryOf({ retry }: Entry): RetryLimits {
  return {
    maxAttempts: MAX_ATTEMPTS,
    initialMs: retry.initial_ms,
    maxMs: retry.max_ms,
    jitter: retry.jitter,
  };
}
