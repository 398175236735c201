import { ancestors, branchHead, type TableState } from '../spec/table-state.ts';
import { isBeginning } from './ledger.ts';
import type { LedgerMemory } from './ledger-memory.ts';
import { UPLOAD_ALLOWANCE_MS } from './open-candidates.ts';
import { readListing } from './registration-summary.ts';

/**
 * How far back absence can be proven: for segments uploaded after this time, in milliseconds since 1970, or `beginning` if the
 * branch's history is complete. An earlier upload that is not found is `registration.unprovable`.
 *
 * @param memory the ledger memory of this table, if the container keeps one
 */
export function provableSince(
  state: TableState,
  branch: string,
  memory: Pick<LedgerMemory, 'ancestry'> = {},
): number | 'beginning' {
  const head = branchHead(state, branch);
  let oldest = head && memory.ancestry?.(state, head)?.oldest;
  if (oldest === undefined) for (const snapshot of ancestors(state, head)) oldest = snapshot;
  if (oldest === undefined || isBeginning(oldest, readListing(oldest.summary))) return 'beginning';
  return Number(oldest.timestampMs) + UPLOAD_ALLOWANCE_MS;
}

/** Whether the longest-waiting message has used up half of the time within which its absence can be proven. */
export function isHistoryShort(since: number | 'beginning', oldestSentMs: number, nowMs: number): boolean {
  return since !== 'beginning' && (nowMs - oldestSentMs) * 2 > nowMs - since;
}
