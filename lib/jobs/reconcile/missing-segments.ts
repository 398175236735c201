import { objectReference, type SegmentReference, segmentUri } from '../../event/segment-reference.ts';
import type { Candidate } from '../../ledger/candidate.ts';
import { consultLedger, searchSnapshots } from '../../ledger/ledger.ts';
import { ledgerMemory } from '../../ledger/ledger-memory.ts';
import type { ListedObject } from '../../ports.ts';
import { countOutcomes } from '../../report/outcome.ts';
import type { Dataset } from '../../route/layout.ts';
import { snapshotsOutside, type TableState } from '../../spec/table-state.ts';
import { missingTable } from '../load-state.ts';
import { sendAgain } from '../quarantine/send-again.ts';
import { manifestReader } from '../register/table-manifests.ts';
import { footerKinds } from './footer-kinds.ts';
import type { ReconcileOptions, ReconcilePorts } from './reconcile.ts';
import type { Tally } from './reconcile-report.ts';

/**
 * Sorts the objects that are not live, and enqueues or registers those that are missing. Before a table's first registration nothing may
 * be open: everything is recent, in quarantine or older than requested.
 */
export function settlerOf(
  dataset: Dataset,
  state: TableState | undefined,
  ports: ReconcilePorts,
  { missing: action = 'report' }: ReconcileOptions,
  tally: Tally,
  remainingMs: () => number,
): (objects: readonly ListedObject[]) => Promise<void> {
  if (state === undefined) {
    return async ({ length }) => {
      if (length > 0) throw missingTable(dataset);
    };
  }
  const { entry } = dataset;
  const { store, tableStore = store } = ports.portsOf(entry);
  const others = snapshotsOutside(state, entry.branch);
  const memory = ledgerMemory();
  // The objects sorted here are known not to be live, so the ledger need not read the live manifests.
  const manifests = { ...manifestReader(tableStore), async *live() {} };

  return async (objects) => {
    if (objects.length === 0) return;
    const candidates = objects.map(candidateOf);
    const verdicts = await consultLedger(state, entry.branch, candidates, manifests, memory);
    const absent = candidates.filter(({ uri }) => verdicts.get(uri)?.kind === 'absent');
    const elsewhere = await searchSnapshots(others, absent, manifests, memory);
    const unregistered: SegmentReference[] = [];
    for (const object of objects) {
      const { uri } = object;
      const kind = verdicts.get(uri)?.kind;
      if (kind === 'registered') tally.note('deleted', uri);
      else if (kind === 'replaced') tally.note('replaced', uri);
      else if (elsewhere.has(uri)) tally.note('rolled-back', uri);
      // Where objects may be copied in place, an upload time does not prove that an object is new.
      else if (kind !== 'absent' || entry.copies === 'quarantine') tally.note('unprovable', uri);
      else unregistered.push(listedReference(object));
    }
    const kindOf = await footerKinds(unregistered, dataset, state, ports);
    const missing: SegmentReference[] = [];
    for (const reference of unregistered) {
      const kind = kindOf.get(segmentUri(reference));
      if (kind === 'engine-written') tally.note(kind, segmentUri(reference));
      else if (kind === 'empty' || kind === 'missing') tally.ignored += 1;
      else missing.push(reference);
    }
    for (const reference of missing) tally.note('missing', segmentUri(reference));
    if (action === 'enqueue') await enqueue(missing, dataset, ports, tally);
    if (typeof action === 'function') {
      const { outcomes } = await action(missing, ports, remainingMs);
      for (const [end, count] of Object.entries(countOutcomes(outcomes))) tally.add(end, count);
    }
  };
}

async function enqueue(
  missing: readonly SegmentReference[],
  routing: Dataset,
  ports: ReconcilePorts,
  tally: Tally,
): Promise<void> {
  const refused = await sendAgain(
    missing.map((reference) => ({ reference, routing })),
    ports,
  );
  tally.add('sent', missing.length - refused.size);
  tally.add('refused', refused.size);
}

/** A listed object as a candidate for the ledger. */
function candidateOf({ uri, version, sizeBytes, lastModifiedMs }: ListedObject): Candidate {
  return { uri, etag: version, sizeBytes, uploadedMs: lastModifiedMs, copied: false };
}

function listedReference({ uri, version, sizeBytes }: ListedObject): SegmentReference {
  return { ...objectReference(uri), etag: version, sizeBytes };
}
