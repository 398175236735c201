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
import { counted, noRequests } from './requests.ts';

export interface BackfillOptions {
  /** `enqueue`: what is not in the tables goes to the registrations queue, to any number of functions. @default register */
  readonly action?: 'register' | 'enqueue';
  /** @default 2,000 */
  readonly segmentsACommit?: number;
  /** Asks to stop: what is under way is finished, nothing more is begun. */
  readonly signal?: AbortSignal;
  /** Told after every batch; for what is left, the objects are counted beside the work. */
  readonly onProgress?: (progress: Progress) => void;
}

/** Some 20 KB of memory each while they are decoded. */
const SEGMENTS_A_COMMIT = 2_000;
/** Of footers under way and waiting for their commit, over two batches. */
const FOOTER_MEMORY_BYTES = 48 * 1024 * 1024;
const NEVER = new AbortController().signal;

/**
 * Makes the objects of a lake part of their tables: thousands a snapshot, the footers of the next batch read while one is
 * committed. Tables are looked through once, at their first object. It can end anywhere, and be begun again: what is in a table is
 * met there, whoever put it in (I2). A table that fails leaves the others alone.
 *
 * @param listed the objects, in any order, through the ports that it is handed
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
  const services = new Map(
    given.entries.map((entry) => [entry, counted(given.portsOf(entry), requests)] as const),
  );
  const ports: BackfillPorts = {
    ...given,
    cache: new Map(),
    portsOf: (entry) => services.get(entry) ?? given.portsOf(entry),
  };
  const tally = newTally();
  const batches = batchesOf(listed(ports), ports, tally, { batchSize: segmentsACommit, signal });
  const memory = footerMemory(FOOTER_MEMORY_BYTES);
  const report = () => tally.report(requests, ports.clock.now() - startedMs);
  const ended = new AbortController();
  const count = onProgress && countObjects(listed(ports), AbortSignal.any([signal, ended.signal]));
  const tellProgress = () => count && onProgress?.(progressOf(report(), count()));

  const work: Work = { ports, tally, batches, memory, signal };
  if (action === 'enqueue') {
    for await (const batch of batches) {
      await enqueue(batch, work);
      tellProgress();
    }
  } else {
    for await (const begun of readAhead(batches, (batch) =>
      begin(batch, batch.objects.map(referenceOf), work),
    )) {
      if (signal.aborted) tally.add('not reached', begun.references.length);
      else await finish(begun, work);
      begun.end();
      tellProgress();
    }
  }
  ended.abort();
  tally.interrupted = signal.aborted;
  return report();
}

/** Begins the next item while one is worked on. */
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
