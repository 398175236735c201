import type { Log } from '../../ports.ts';
import type { SegmentOutcome } from '../../report/outcome.ts';

/**
 * Logs why segments of a table are delivered again: one line, and thus one failure in the metrics, per error code. Other
 * outcomes are passed over.
 */
export function logFailures(table: string, outcomes: readonly SegmentOutcome[], log: Log): void {
  const errors = outcomes.flatMap((outcome) => (outcome.kind === 'failed' ? outcome.error : []));
  for (const ofCode of Map.groupBy(errors, ({ code }) => code).values()) {
    log.error({ event: 'table-failed', table, segments: ofCode.length, error: ofCode[0] });
  }
}
