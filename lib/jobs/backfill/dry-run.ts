import type { RegistrarError } from '../../errors.ts';
import { type SegmentReference, segmentUri } from '../../event/segment-reference.ts';
import type { Random } from '../../ports.ts';
import { formatIdentifier } from '../../spec/table-identifier.ts';
import { plan } from '../plan/plan.ts';
import type { BackfillPorts } from './backfill-ports.ts';
import { newTally, type Refusal } from './backfill-report.ts';
import { batchesOf } from './batches.ts';
import { FILES_A_MANIFEST } from './begun-batch.ts';
import type { LakeObject } from './lake-object.ts';
import { type OpenTable, referenceOf } from './open-table.ts';
import { countedPorts, noRequests, type Requests, storeDollars } from './requests.ts';

export interface DryRunOptions {
  readonly segmentsACommit: number;
  /** How many segments of each table to read, drawn at random. */
  readonly sampleSize: number;
  readonly signal: AbortSignal;
}

/** What a backfill would do to a table. */
export interface TableForecast {
  readonly table: string;
  /** Segments that the table does not have. */
  readonly segments: number;
  readonly snapshots: number;
  readonly sampled: number;
  /** Sampled segments that would be committed. */
  readonly committed: number;
  readonly isNew: boolean;
  /** `+ note (7): string`, …; for a new table all its columns. */
  readonly schemaChanges: readonly string[];
  readonly error?: RegistrarError;
}

export interface DryRun {
  readonly listed: number;
  readonly registered: number;
  readonly ignored: number;
  /** Segments that would be left as they are: `waiting` in quarantine, `discarded` from it, `rolled-back`, `failed` in a table with an error. */
  readonly left: Readonly<Record<string, number>>;
  readonly tables: readonly TableForecast[];
  /** Sampled segments that would be refused, and an estimate for all segments. */
  readonly refused: readonly Refusal[];
  readonly refusedOfAll: number;
  /** An estimate of what remains to be done, at the rate at which the samples were read. */
  readonly estimate: { readonly requests: Requests; readonly dollars: number; readonly durationMs: number };
  readonly interrupted: boolean;
}

/**
 * Lists and compares everything, then reads a sample of each table and registers it in a world where nothing is written.
 *
 * @throws the errors of the list, of catalog and store
 */
export async function dryRun(
  listed: (ports: BackfillPorts) => AsyncIterable<LakeObject>,
  given: BackfillPorts,
  { segmentsACommit, sampleSize, signal }: DryRunOptions,
): Promise<DryRun> {
  const requests = noRequests();
  const ports = countedPorts(given, requests);
  const tally = newTally();
  const drawings = new Map<string, Drawing>();
  for await (const { table, objects } of batchesOf(listed(ports), ports, tally, {
    batchSize: segmentsACommit,
    signal,
  })) {
    const name = formatIdentifier(table.dataset.table);
    const drawing = drawings.get(name) ?? { table, count: 0, drawn: [] };
    drawings.set(name, drawing);
    draw(drawing, objects, sampleSize, ports.random);
  }
  const lists = requests.list;

  const startedMs = ports.clock.now();
  const forecasts: Forecast[] = [];
  for (const [name, drawing] of drawings) {
    if (signal.aborted) break;
    forecasts.push(await forecast(name, drawing, ports, segmentsACommit));
  }
  const sampled = forecasts.reduce((sum, { sampled: drawn }) => sum + drawn, 0);
  const open = forecasts.reduce((sum, { segments }) => sum + segments, 0);
  const durationMs = sampled === 0 ? 0 : ((ports.clock.now() - startedMs) / sampled) * open;
  const { listed: objects, registered, ignored, done, tables } = tally.report(requests, 0);
  const estimated = estimateOf(forecasts, segmentsACommit, lists);
  const failed = tables.map(({ table, error }) => ({ ...NOTHING_OF, table, ...(error && { error }) }));
  return {
    listed: objects,
    registered,
    ignored,
    left: done,
    tables: [...forecasts.map(({ refusals: _, ...of }) => of), ...failed].toSorted(byTable),
    refused: forecasts.flatMap(({ refusals }) => refusals),
    refusedOfAll: forecasts.reduce((sum, of) => sum + ofAll(of), 0),
    estimate: { requests: estimated, dollars: storeDollars(estimated), durationMs },
    interrupted: signal.aborted,
  };
}

function byTable(a: TableForecast, b: TableForecast): number {
  return a.table < b.table ? -1 : 1;
}

const NOTHING_OF = { segments: 0, snapshots: 0, sampled: 0, committed: 0, isNew: false, schemaChanges: [] };

interface Forecast extends TableForecast {
  readonly refusals: readonly Refusal[];
}

/** Estimates how many of a table's segments would be refused, from the share of the sampled ones. */
function ofAll({ segments, sampled, refusals }: Forecast): number {
  return sampled === 0 ? 0 : Math.round((refusals.length / sampled) * segments);
}

interface Drawing {
  readonly table: OpenTable;
  count: number;
  readonly drawn: SegmentReference[];
}

/** Draws each object with the same probability, however many there are (Vitter's algorithm R). */
function draw(drawing: Drawing, objects: readonly LakeObject[], size: number, random: Random): void {
  for (const object of objects) {
    drawing.count += 1;
    const at = drawing.drawn.length < size ? drawing.drawn.length : Math.floor(random.next() * drawing.count);
    if (at < size) drawing.drawn[at] = referenceOf(object);
  }
}

async function forecast(
  name: string,
  { count, drawn }: Drawing,
  ports: BackfillPorts,
  segmentsACommit: number,
): Promise<Forecast> {
  const { outcomes, tables } = await plan({ v: 1, segments: drawn }, ports);
  const [planned] = tables;
  const failure = outcomes.find((outcome) => outcome.kind === 'failed' && outcome.error.scope !== 'segment');
  return {
    table: name,
    segments: count,
    snapshots: Math.ceil(count / segmentsACommit),
    sampled: drawn.length,
    committed: outcomes.filter(({ kind }) => kind === 'committed').length,
    isNew: planned?.created !== undefined,
    schemaChanges: planned?.schemaChanges ?? [],
    ...(failure?.kind === 'failed' && { error: failure.error }),
    refusals: outcomes.flatMap((outcome) => {
      if (!('error' in outcome) || outcome.error.scope !== 'segment') return [];
      const { code, message } = outcome.error;
      return { uri: segmentUri(outcome.reference), code, message };
    }),
  };
}

function estimateOf(forecasts: readonly Forecast[], segmentsACommit: number, lists: number): Requests {
  const requests = { ...noRequests(), list: lists };
  for (const { segments, snapshots } of forecasts) {
    const manifests = Math.ceil(Math.min(segments, segmentsACommit) / FILES_A_MANIFEST);
    requests.get += segments;
    requests.put += snapshots * (1 + manifests);
    requests.catalog += 1 + snapshots;
  }
  return requests;
}
