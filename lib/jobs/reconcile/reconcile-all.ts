import { RegistrarError } from '../../errors.ts';
import { untraced } from '../../report/untraced.ts';
import { formatIdentifier } from '../../spec/table-identifier.ts';
import { datasetsOf } from './datasets.ts';
import { type ReconcileOptions, type ReconcilePorts, reconcile } from './reconcile.ts';
import type { Reconciliation } from './reconcile-report.ts';

export interface ReconcileAllOptions extends ReconcileOptions {
  /** Only this dataset, in every pipeline that has it. */
  readonly dataset?: string;
}

/** A dataset that could not be compared. */
export interface Unreconciled {
  readonly directory: string;
  readonly error: RegistrarError;
}

/**
 * Reconciles the datasets of the configuration one by one, in key order. A run that is out of time ends there, and `startAfter`
 * resumes where its report says. A dataset that fails does not affect the others.
 */
export async function* reconcileAll(
  ports: ReconcilePorts,
  { dataset: wanted, startAfter, ...options }: ReconcileAllOptions,
  remainingMs: () => number,
): AsyncGenerator<Reconciliation | Unreconciled> {
  const { trace = untraced } = ports;
  for (const entry of ports.entries) {
    for await (const dataset of datasetsOf(entry, ports.entries, ports.portsOf(entry).store)) {
      if (wanted !== undefined && dataset.dataset !== wanted) continue;
      const { directory } = dataset;
      const isWithin = startAfter?.startsWith(`${directory}/`) ?? false;
      if (startAfter !== undefined && !isWithin && isBefore(directory, startAfter)) continue;
      try {
        const attributes = { 'iceberg-registrar.table': formatIdentifier(dataset.table) };
        const from = isWithin && startAfter !== undefined ? { startAfter } : {};
        const result = await trace({ name: 'dataset', attributes }, () =>
          reconcile(dataset, ports, { ...options, ...from }, remainingMs),
        );
        yield result;
        if (result.resumeAfter !== undefined) return;
      } catch (error) {
        if (!(error instanceof RegistrarError)) throw error;
        yield { directory, error };
      }
    }
  }
}

/** Whether the directory comes before the URI in key order, which compares bytes. */
function isBefore(directory: string, uri: string): boolean {
  return Buffer.compare(Buffer.from(directory), Buffer.from(uri)) < 0;
}
