import { messageOf, RegistrarError } from '../../errors.ts';
import { formatIdentifier } from '../../spec/table-identifier.ts';
import { datasetsOf } from '../datasets/datasets.ts';
import { type ReconcileOptions, type ReconcilePorts, reconcile } from './reconcile.ts';
import type { Reconciliation } from './reconcile-report.ts';

export interface ReconcileAllOptions extends ReconcileOptions {
  /** Only this dataset, in every pipeline that has it. */
  readonly dataset?: string;
  /** The table whose comparison ended at `startAfter`, if known: several may share its directory. */
  readonly table?: string;
}

/** A dataset that could not be compared, or an entry whose objects could not be listed. */
export interface Unreconciled {
  /** The dataset's directory, or the entry's `url`. */
  readonly directory: string;
  readonly error: RegistrarError;
}

/** Time reserved for the answer, and for one more page of a listing. */
const LISTING_MS = 10_000;

/**
 * Reconciles the datasets of the configuration one by one, entry by entry and in key order. A run that is out of time ends there, and
 * `startAfter` resumes where its report says: datasets that come before the one it is in are skipped, those that follow are
 * compared whole. A dataset that fails does not affect the others, nor does an entry whose objects cannot be listed.
 */
export async function* reconcileAll(
  ports: ReconcilePorts,
  { startAfter, table, ...options }: ReconcileAllOptions,
  remainingMs: () => number,
): AsyncGenerator<Reconciliation | Unreconciled> {
  const { trace } = ports;
  const { dataset: wanted, ...each } = options;
  let isReached = startAfter === undefined;
  for (const entry of ports.entries) {
    const isOver = () => remainingMs() < LISTING_MS;
    const datasets = datasetsOf(entry, ports.entries, ports.portsOf(entry).store, isOver);
    for await (const dataset of untilError(datasets)) {
      if (dataset instanceof RegistrarError) {
        yield { directory: entry.url, error: dataset };
        continue;
      }
      if (wanted !== undefined && dataset.dataset !== wanted) continue;
      const { directory } = dataset;
      const name = formatIdentifier(dataset.table);
      const isInterrupted =
        !isReached && startAfter?.startsWith(`${directory}/`) === true && (table ?? name) === name;
      if (!isReached && !isInterrupted) continue;
      isReached = true;
      try {
        const attributes = { 'iceberg-registrar.table': name };
        const from = isInterrupted && startAfter !== undefined ? { startAfter } : {};
        const result = await trace({ name: 'dataset', attributes }, () =>
          reconcile(dataset, ports, { ...each, ...from }, remainingMs),
        );
        yield result;
        if (result.resumeAfter !== undefined) return;
      } catch (fault) {
        yield { directory, error: asRegistrarError(fault, directory) };
      }
    }
  }
  // The dataset of `startAfter` no longer exists, so it is unknown which datasets were compared already: all are compared.
  if (!isReached) yield* reconcileAll(ports, options, remainingMs);
}

/** Yields the items, and the error that ended them, if any, as the last item. */
async function* untilError<T>(items: AsyncIterable<T>): AsyncGenerator<T | RegistrarError> {
  try {
    yield* items;
  } catch (error) {
    if (!(error instanceof RegistrarError)) throw error;
    yield error;
  }
}

/** An unexpected error is reported for its dataset, so that the other datasets are compared all the same. */
function asRegistrarError(fault: unknown, directory: string): RegistrarError {
  if (fault instanceof RegistrarError) return fault;
  const message = messageOf(fault);
  return new RegistrarError(
    'internal.error',
    `Cannot compare "${directory}" with its table: ${message}; please report this`,
    { context: { directory }, cause: fault },
  );
}
