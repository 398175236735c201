import { RegistrarError } from '../../errors.ts';
import type { Dataset } from '../../route/layout.ts';
import { layoutRouter } from '../../route/layout.ts';
import { tableKey } from '../../route/table-key.ts';
import { formatIdentifier } from '../../spec/table-identifier.ts';
import { routingOf } from '../datasets/dataset-objects.ts';
import type { BackfillPorts } from './backfill-ports.ts';
import type { BackfillTally } from './backfill-report.ts';
import type { LakeObject } from './lake-object.ts';
import { type OpenTable, openTable } from './open-table.ts';

/** Segments of one table that are in no snapshot of it, as far as the table was searched. */
export interface Batch {
  readonly table: OpenTable;
  readonly objects: readonly LakeObject[];
  /** The table has these paths with another size, so they are judged without the paths that were collected before. */
  readonly replaced: boolean;
}

interface Gathering {
  table: Promise<OpenTable | undefined>;
  readonly open: LakeObject[];
  readonly replaced: LakeObject[];
}

export interface Batches extends AsyncIterable<Batch> {
  /** The table has changed: search it again before gathering more of it. */
  forget(table: OpenTable): void;
  /** Gather nothing more of this table. */
  giveUp(table: OpenTable): void;
}

/**
 * Sorts the objects of a lake into batches by table, in the order in which they are listed. The number of objects that wait for
 * their batch to fill is limited over all tables. When the limit is reached, the largest batch is returned although it is not full.
 */
export function batchesOf(
  objects: AsyncIterable<LakeObject>,
  ports: BackfillPorts,
  tally: BackfillTally,
  limits: { readonly batchSize: number; readonly signal: AbortSignal },
): Batches {
  const routeOf = layoutRouter(ports.entries);
  const gatherings = new Map<string, Gathering>();
  const { batchSize, signal } = limits;
  const forgotten = new WeakSet<OpenTable>();
  let waiting = 0;

  async function open(dataset: Dataset): Promise<OpenTable | undefined> {
    try {
      return await openTable(dataset, ports);
    } catch (error) {
      if (!(error instanceof RegistrarError)) throw error;
      tally.table(formatIdentifier(dataset.table)).error = error;
      return undefined;
    }
  }

  function gatheringOf(dataset: Dataset): Gathering {
    const name = tableKey(dataset);
    const known = gatherings.get(name);
    if (known !== undefined) return known;
    const made: Gathering = { table: open(dataset), open: [], replaced: [] };
    gatherings.set(name, made);
    return made;
  }

  /** Adds an object to those that wait for their batch, or counts it. Undefined if nothing is to be done about it. */
  function place(
    object: LakeObject,
    table: OpenTable,
    gathering: Gathering,
  ): 'open' | 'replaced' | undefined {
    const kind = table.sort(object);
    if (kind === 'open' || kind === 'replaced') {
      table.known.note(object.uri, object.sizeBytes);
      gathering[kind].push(object);
      return kind;
    }
    if (kind === 'registered') tally.registered += 1;
    else if (kind === 'ignored') tally.ignored += 1;
    else tally.add(kind, 1);
    return undefined;
  }

  async function* taken(gathering: Gathering): AsyncGenerator<Batch> {
    const table = await gathering.table;
    for (const objects of [gathering.open, gathering.replaced]) {
      if (objects.length === 0) continue;
      const all = objects.splice(0);
      waiting -= all.length;
      if (table === undefined) tally.add('failed', all.length);
      else {
        const batch = await withoutRolledBack(table, all, tally);
        if (batch.length > 0) yield { table, objects: batch, replaced: objects === gathering.replaced };
      }
    }
  }

  async function* batches(): AsyncGenerator<Batch> {
    for await (const object of objects) {
      if (signal.aborted) return;
      tally.listed += 1;
      const { uri, sizeBytes = Number.NaN } = object;
      const dataset = routingOf({ uri, sizeBytes }, routeOf);
      if (dataset?.kind !== 'table') {
        tally.ignored += 1;
        continue;
      }
      const gathering = gatheringOf(dataset);
      const table = await gathering.table;
      if (table === undefined) {
        tally.add('failed', 1);
        continue;
      }
      const kind = place(object, table, gathering);
      if (kind === undefined) continue;
      waiting += 1;
      if (gathering[kind].length === batchSize) yield* taken(gathering);
      else if (waiting >= MOST_WAITING * batchSize) yield* taken(largest(gatherings.values()));
    }
    for (const gathering of gatherings.values()) {
      if (signal.aborted) return;
      yield* taken(gathering);
    }
  }

  return {
    [Symbol.asyncIterator]: batches,
    forget(table) {
      // Another batch that was gathered earlier may report the same change again.
      const gathering = forgotten.has(table) ? undefined : gatherings.get(tableKey(table.dataset));
      forgotten.add(table);
      if (gathering !== undefined) gathering.table = reopened(table.dataset, gathering);
    },
    giveUp({ dataset }) {
      const gathering = gatherings.get(tableKey(dataset));
      if (gathering !== undefined) gathering.table = Promise.resolve(undefined);
    },
  };

  /** Sorts objects again that were gathered on an earlier state of the table. */
  async function reopened(dataset: Dataset, gathering: Gathering): Promise<OpenTable | undefined> {
    const table = await open(dataset);
    if (table === undefined) return undefined;
    const all = [...gathering.open.splice(0), ...gathering.replaced.splice(0)];
    for (const object of all) if (place(object, table, gathering) === undefined) waiting -= 1;
    return table;
  }
}

/** The most objects that may wait over all tables, in full batches. */
const MOST_WAITING = 4;

function largest(gatherings: Iterable<Gathering>): Gathering {
  return [...gatherings].reduce((a, b) => (a.open.length < b.open.length ? b : a));
}

async function withoutRolledBack(
  table: OpenTable,
  objects: readonly LakeObject[],
  tally: BackfillTally,
): Promise<readonly LakeObject[]> {
  const elsewhere = await table.elsewhere(objects);
  tally.add('rolled-back', elsewhere.size);
  return elsewhere.size === 0 ? objects : objects.filter(({ uri }) => !elsewhere.has(uri));
}
