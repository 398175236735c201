import { RegistrarError } from '../../errors.ts';
import { untraced } from '../../report/untraced.ts';
import { formatIdentifier } from '../../spec/table-identifier.ts';
import { datasetsOf } from './datasets.ts';
import { type ReconcileOptions, type ReconcilePorts, reconcile } from './reconcile.ts';
import type { Reconciliation } from './reconcile-report.ts';

export interface ReconcileAllOptions extends ReconcileOptions {
  /** Only this dataset, in every pipeline that has it. */
  readonly dataset?: string;
  /** The table whose comparison ended at `startAfter`, if known: several may share its directory. */
  readonly table?: string;
}

/** A dataset that could not be compared. */
export interface Unreconciled {
  readonly directory: string;
  readonly error: RegistrarError;
}

/**
 * Reconciles the datasets of the configuration one by one, entry by entry and in key order. A run that is out of time ends there, and
 * `startAfter` resumes where its report says: datasets that come before the one it is in are skipped, those that follow are
 * compared whole. A dataset that fails does not affect the others.
 */
export async function* reconcileAll(
  ports: ReconcilePorts,
  { startAfter, table, ...options }: ReconcileAllOptions,
  remainingMs: () => number,
): AsyncGenerator<Reconciliation | Unreconciled> {
  const { trace = untraced } = ports;
  const { dataset: wanted, ...each } = options;
  let isReached = startAfter === undefined;
  for (const entry of ports.entries) {
    for await (const dataset of datasetsOf(entry, ports.entries, ports.portsOf(entry).store)) {
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
      } catch (error) {
        if (!(error instanceof RegistrarError)) throw error;
        yield { directory, error };
      }
    }
  }
  // The dataset is gone, and nothing tells which come before it.
  if (!isReached) yield* reconcileAll(ports, options, remainingMs);
}
