import type { SpanAttributes } from '../../ports.ts';
import { formatIdentifier } from '../../spec/table-identifier.ts';
import type { TableResult, TableTarget } from './register-ports.ts';

/** The attributes that the spans of a table's batch share. */
export function ofTable({ table }: TableTarget, references: readonly unknown[]): SpanAttributes {
  return {
    'iceberg-registrar.table': formatIdentifier(table),
    'iceberg-registrar.segments': references.length,
  };
}

/** How the batch ended: the worst outcome of its segments, and the snapshot if there is one. */
export function outcomeAttributes({ outcomes, registration }: TableResult): SpanAttributes {
  const kinds = new Set(outcomes.map(({ kind }) => kind));
  const worst = WORST_FIRST.find((kind) => kinds.has(kind)) ?? 'postponed';
  return {
    'iceberg-registrar.outcome': worst,
    ...(registration !== undefined && {
      // Longer than a number is exact.
      'iceberg-registrar.snapshot-id': registration.snapshotId.toString(),
      'iceberg-registrar.attempts': registration.attempts,
    }),
  };
}

const WORST_FIRST = ['failed', 'quarantined', 'committed', 'already-registered', 'ignored'] as const;
