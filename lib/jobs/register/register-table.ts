import { commitInAttempts } from '../../commit/attempt-loop.ts';
import { messageOf, RegistrarError } from '../../errors.ts';
import type { SegmentReference } from '../../event/segment-reference.ts';
import type { Catalog } from '../../ports.ts';
import { branchKey } from '../../route/table-key.ts';
import { isWrittenByIceberg } from '../../segment/iceberg-writer.ts';
import { formatIdentifier } from '../../spec/table-identifier.ts';
import { readTableMetadata } from '../../spec/table-metadata.ts';
import { loadState, requireState } from '../load-state.ts';
import { readSegment } from './decoded-segment.ts';
import { ensureTable } from './ensure-table.ts';
import type { FooterRound } from './footer-memory.ts';
import { keepWarm } from './keep-warm.ts';
import { tellOfLost } from './lost-table.ts';
import { warnOfSize } from './metadata-size.ts';
import { type FootersRead, readFooters, type SegmentRead } from './read-footers.ts';
import type { TablePorts, TableResult, TableTarget } from './register-ports.ts';
import { retryOf } from './retry.ts';
import { type BulkStaging, type StagedBatch, stagingOf } from './staging.ts';
import { type CachedTable, hasShared, isUsable, readAheadBytes, remember } from './table-cache.ts';
import { reportTable } from './table-report.ts';
import { ofTable, outcomeAttributes } from './table-span.ts';

/**
 * Registers one table's segments with one load (or the warm cache), parallel footer reads and one commit. A failure affects
 * only the segments of this table. Segments whose footers find no room in memory get no outcome: they are left for a next
 * round.
 *
 * @param oldestSentMs when the oldest message among them was sent, where the queue said so
 */
export async function registerTable(
  target: TableTarget,
  references: readonly SegmentReference[],
  ports: TablePorts,
  oldestSentMs?: number,
): Promise<TableResult> {
  return ports.trace({ name: 'table', attributes: ofTable(target, references) }, async (add) => {
    const round: FooterRound = { heldBytes: 0, isOver: false };
    try {
      const cached = ports.cache.get(branchKey(target));
      const footers = footersOf(target, references, round, ports, cached, decodeFor(target, cached));
      const result = await registerRead(target, references, footers, ports, { oldestSentMs });
      add(outcomeAttributes(result));
      return result;
    } finally {
      ports.footerMemory.release(round);
    }
  });
}

/**
 * Reads the footers of one table's segments: as many as the round has room for.
 *
 * @param longest the dataset's longest footer so far, where it is known
 * @param arrived told of each footer while others are still under way
 * @throws `store.unavailable`, `auth.failed`
 */
export function footersOf(
  target: TableTarget,
  references: readonly SegmentReference[],
  round: FooterRound,
  ports: TablePorts,
  longest: { readonly footerBytes: number } | undefined,
  arrived?: (segment: SegmentRead) => void,
): Promise<FootersRead> {
  return ports.trace({ name: 'footers', attributes: ofTable(target, references) }, () =>
    readFooters(ports.store, references, {
      readAheadBytes: readAheadBytes(longest),
      maxFooterBytes: target.entry.max_footer_bytes,
      concurrently: ports.footerLimit,
      hasRoom: (bytes) => ports.footerMemory.take(round, bytes),
      isOver: () => round.isOver || ports.remainingMs() <= 0,
      arrived,
    }),
  );
}

/** Decodes footers while the store is still busy with others, using the table as it was last seen. */
function decodeFor({ entry }: TableTarget, cached: CachedTable | undefined) {
  return cached && ((segment: SegmentRead) => void readSegment(segment, cached.state, entry));
}

export interface RegisterOptions {
  readonly oldestSentMs?: number | undefined;
  readonly bulk?: BulkStaging;
}

/** Registers segments whose footers are read or being read. A fault becomes the outcome of each of them. */
export async function registerRead(
  target: TableTarget,
  references: readonly SegmentReference[],
  reading: Promise<FootersRead>,
  ports: TablePorts,
  options: RegisterOptions = {},
): Promise<TableResult> {
  const table = formatIdentifier(target.table);
  try {
    return await registerOnTable(target, references, reading, ports, options);
  } catch (fault) {
    ports.cache.delete(branchKey(target));
    const error = fault instanceof RegistrarError ? fault : unexpected(table, fault);
    ports.log.error({ event: 'table-failed', table, segments: references.length, error });
    return {
      outcomes: references.map((reference) => ({ reference, table, kind: 'failed', error })),
      registration: undefined,
    };
  }
}

async function registerOnTable(
  target: TableTarget,
  references: readonly SegmentReference[],
  reading: Promise<FootersRead>,
  ports: TablePorts,
  { oldestSentMs, bulk }: RegisterOptions,
): Promise<TableResult> {
  const { entry } = target;
  const startedMs = ports.clock.now();
  const cached = ports.cache.get(branchKey(target));
  const warm = isUsable(cached, startedMs) ? cached.state : undefined;
  const [footers, known] = await Promise.all([
    reading,
    warm ?? loadState(ports.catalog, target.table, cached?.state),
  ]);
  const reportOn = { target, references, footers, startedMs, oldestSentMs };
  if (footers.segments.length === 0) return reportTable(reportOn, ports);
  const state = await ensureTable(target, footers, known, ports);
  if ('condemned' in state) return reportTable({ ...reportOn, footers: state }, ports);

  const stagingPorts = { ...ports, store: ports.tableStore ?? ports.store };
  const staging = stagingOf(target, footers.segments, cached, stagingPorts, bulk);
  const { trace } = ports;
  const about = ofTable(target, references);
  const catalog: Pick<Catalog, 'commit'> = {
    commit: (...request) =>
      trace({ name: 'commit', attributes: about }, async (add) => {
        const answer = await ports.catalog.commit(...request);
        add({ 'iceberg-registrar.outcome': answer.outcome });
        return answer;
      }),
  };
  const end = await commitInAttempts<StagedBatch>(
    { ...ports, catalog },
    {
      table: target.table,
      branch: entry.branch,
      // What an Iceberg writer made may be this very table's own: it is judged on a state loaded after it was read (I11).
      initial: {
        state,
        fresh: warm === undefined && !footers.segments.some(({ read }) => isWrittenByIceberg(read)),
      },
      reload: (before) => requireState(ports.catalog, target, before),
      read: ({ table: loaded }, asserted) => readTableMetadata(target.table, loaded, asserted),
      stage: (attempt) => trace({ name: 'stage', attributes: about }, () => staging.stage(attempt)),
      retry: retryOf(entry),
      remainingMs: ports.remainingMs,
    },
  );
  const kept = keepWarm({
    cached,
    amongShared: hasShared(ports.cache),
    begun: { warm: warm !== undefined, state },
    branch: entry.branch,
    segments: footers.segments,
    end,
    memory: staging.memory,
    nowMs: ports.clock.now(),
  });
  if (kept === undefined) ports.cache.delete(branchKey(target));
  else remember(ports.cache, branchKey(target), kept);
  if (end.outcome === 'landed') warnOfSize(state, end.state, ports.log);
  tellOfLost(cached, end.state, entry.branch, ports.log);
  const { memory } = staging;
  return reportTable({ ...reportOn, judgement: staging.judgement(), end, memory }, ports);
}

/** A fault in this software, reported like any other, so that nothing is acknowledged and other tables go on. */
function unexpected(table: string, fault: unknown): RegistrarError {
  const message = messageOf(fault);
  return new RegistrarError(
    'internal.error',
    `Cannot register in table "${table}": ${message}; the messages are delivered again, please report this`,
    { context: { table }, cause: fault },
  );
}
