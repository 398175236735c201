import type { SpanAttributes } from '../../ports.ts';
import { formatIdentifier } from '../../spec/table-identifier.ts';
import type { TableResult, TableTarget } from './register-ports.ts';

/** What the spans of a table's batch say of it. */
export function ofTable({ table }: TableTarget, references: readonly unknown[]): SpanAttributes {
  return {
    'iceberg-registrar.table': formatIdentifier(table),
    'iceberg-registrar.segments': references.length,
  };
}

/** What became of the batch: the worst end that a segment of it came to, and the snapshot where there is one. */
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
