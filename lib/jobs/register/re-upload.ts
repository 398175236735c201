import type { ManifestReader, Verdict } from '../../ledger/ledger.ts';
import { metricsOf } from '../../segment/metrics.ts';
import { metricsConfig } from '../../segment/metrics-config.ts';
import type { Segment } from '../../segment/segment.ts';
import type { Metrics } from '../../spec/manifest.ts';
import { prunedColumnIds, type TableState } from '../../spec/table-state.ts';

/**
 * Whether a path that is registered under another ETag holds the same segment uploaded again: size, record count and every
 * metric that both entry and footer have are equal. Metrics are compared under the schema of the registration.
 *
 * @param segment with the table's field IDs; undefined where they cannot be determined
 */
export async function isReupload(
  segment: Segment | undefined,
  { entry, snapshotId }: Verdict & { readonly kind: 'replaced' },
  state: TableState,
  manifests: Pick<ManifestReader, 'metrics'>,
): Promise<boolean> {
  if (entry === undefined || segment === undefined) return false;
  if (entry.fileSizeInBytes !== BigInt(segment.sizeBytes)) return false;
  if (entry.recordCount !== segment.recordCount) return false;
  const registered = await manifests.metrics(entry);
  if (registered === undefined) return false;
  const schemaId = state.snapshots.get(snapshotId)?.schemaId;
  const schema = state.schemas.find((one) => one['schema-id'] === schemaId) ?? state.currentSchema;
  const config = metricsConfig(state.properties, schema, prunedColumnIds(state));
  return agree(registered, metricsOf(segment, schema, config));
}

function agree(a: Metrics, b: Metrics): boolean {
  const counts = ['columnSizes', 'valueCounts', 'nullValueCounts'] as const;
  const bounds = ['lowerBounds', 'upperBounds'] as const;
  return (
    counts.every((name) => agreeOn(a[name], b[name], (one, other) => one === other)) &&
    bounds.every((name) => agreeOn(a[name], b[name], (one, other) => Buffer.compare(one, other) === 0))
  );
}

/**
 * Whether two maps agree on the columns that both have. Columns known to one side only say nothing, since a table's metrics
 * modes may have changed.
 */
function agreeOn<V>(
  a: ReadonlyMap<number, V>,
  b: ReadonlyMap<number, V>,
  isSame: (one: V, other: V) => boolean,
): boolean {
  return a.entries().every(([id, one]) => {
    const other = b.get(id);
    return other === undefined || isSame(one, other);
  });
}
