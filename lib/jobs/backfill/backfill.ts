import { countObjects } from '../pace.ts';
import { sendAgain } from '../quarantine/send-again.ts';
import { footerMemory } from '../register/footer-memory.ts';
import type { BackfillPorts } from './backfill-ports.ts';
import { type BackfillReport, newTally } from './backfill-report.ts';
import { type Batch, batchesOf } from './batches.ts';
import { begin, finish, type Work } from './begun-batch.ts';
import type { LakeObject } from './lake-object.ts';
import { referenceOf } from './open-table.ts';
import { type Progress, progressOf } from './progress.ts';
import { countedPorts, noRequests } from './requests.ts';

export interface BackfillOptions {
  /**
   * `register` registers here; `enqueue` sends unregistered segments to the registrations queue, for any number of functions.
   *
   * @default register
   */
  readonly action?: 'register' | 'enqueue';
  /** @default 1,000 */
  readonly segmentsACommit?: number;
  /** Aborted to stop: work under way is finished, nothing more is started. */
  readonly signal?: AbortSignal;
  /** Called after every batch. To estimate what is left, the objects are counted alongside the work. */
  readonly onProgress?: (progress: Progress) => void;
}

/** About 20 KB of memory per segment while it is decoded. */
export const SEGMENTS_A_COMMIT = 1_000;
/** Limit for the footers of two batches: one that is being read and one that waits for its commit. */
const FOOTER_MEMORY_BYTES = 48 * 1024 * 1024;
const NEVER = new AbortController().signal;

/**
 * Registers the objects of a lake in their tables, thousands per snapshot, reading the footers of the next batch while one is
 * committed. Each table is searched once, at its first object. It can end at any point and be run again: what is already in a
 * table is recognised, whoever put it there (I2). A table that fails does not affect the others.
 *
 * @param listed returns the objects, in any order, which it reads through the given ports (their requests are counted)
 * @throws the errors of the list itself; everything else is in the report
 */
export async function backfill(
  listed: (ports: BackfillPorts) => AsyncIterable<LakeObject>,
  given: BackfillPorts,
  {
    action = 'register',
    segmentsACommit = SEGMENTS_A_COMMIT,
    signal = NEVER,
    onProgress,
  }: BackfillOptions = {},
): Promise<BackfillReport> {
  const startedMs = given.clock.now();
  const requests = noRequests();
  const ports = countedPorts({ ...given, cache: new Map() }, requests);
  const tally = newTally();
  const batches = batchesOf(listed(ports), ports, tally, { batchSize: segmentsACommit, signal });
  const memory = footerMemory(FOOTER_MEMORY_BYTES);
  const report = () => tally.report(requests, ports.clock.now() - startedMs);
  const ended = new AbortController();
  const count = onProgress && countObjects(listed(ports), AbortSignal.any([signal, ended.signal]));
  const tellProgress = () => count && onProgress?.(progressOf(report(), count()));

  const work: Work = { ports, tally, batches, memory, signal };
  try {
    if (action === 'enqueue') await enqueueAll(work, tellProgress);
    else await registerAll(work, tellProgress);
  } finally {
    ended.abort();
  }
  tally.interrupted = signal.aborted;
  return report();
}

async function enqueueAll(work: Work, tellProgress: () => void): Promise<void> {
  for await (const batch of work.batches) {
    await enqueue(batch, work);
    tellProgress();
  }
}

async function registerAll(work: Work, tellProgress: () => void): Promise<void> {
  const { batches, tally, signal } = work;
  for await (const begun of readAhead(batches, (batch) =>
    begin(batch, batch.objects.map(referenceOf), work),
  )) {
    if (signal.aborted) tally.add('not reached', begun.references.length);
    else await finish(begun, work);
    begun.end();
    tellProgress();
  }
}

/** Starts the next item while the current one is processed. */
async function* readAhead<T, B>(items: AsyncIterable<T>, begin: (item: T) => B): AsyncGenerator<B> {
  const iterator = items[Symbol.asyncIterator]();
  const next = async () => {
    const { done, value } = await iterator.next();
    return done === true ? undefined : { begun: begin(value) };
  };
  let ahead = next();
  for (let now = await ahead; now !== undefined; now = await ahead) {
    ahead = next();
    ahead.catch(() => undefined);
    yield now.begun;
  }
}

async function enqueue({ table, objects }: Batch, { ports, tally }: Work): Promise<void> {
  const routing = table.dataset;
  const segments = objects.map((object) => ({ reference: referenceOf(object), routing }));
  const refused = await sendAgain(segments, ports);
  tally.add('sent', objects.length - refused.size);
  tally.add('not taken by the queue', refused.size);
}
