import { expect, test } from 'vitest';
import { isReupload } from '../../../lib/jobs/register/re-upload.ts';
import { metricsOf } from '../../../lib/segment/metrics.ts';
import { metricsConfig } from '../../../lib/segment/metrics-config.ts';
import type { Metrics } from '../../../lib/spec/manifest.ts';
import { tableState } from '../../fakes/table-state.ts';
import { flatFooter, int32, segmentFrom } from '../../segment/flat-footer.ts';

const segment = segmentFrom(
  flatFooter(
    [{ name: 'id', physical: 1 }],
    [{ rows: 10, statistics: [{ nulls: 1, min: int32(1), max: int32(9) }] }],
  ),
);
const state = tableState({ currentSchema: segment.schema });
const registered = metricsOf(segment, segment.schema, metricsConfig({}, segment.schema));
const entry = {
  manifestPath: 's3://lake/orders/metadata/m0.avro',
  status: 'added',
  snapshotId: 1n,
  filePath: segment.uri,
  recordCount: segment.recordCount,
  fileSizeInBytes: BigInt(segment.sizeBytes),
} as const;

const isAgain = (metrics: Metrics | undefined, found: typeof entry | undefined = entry) =>
  isReupload(segment, { kind: 'replaced', snapshotId: 1n, entry: found }, state, {
    metrics: async () => metrics,
  });

test('isReupload: the same size, record count and metrics are the same segment; what only one side knows says nothing', async () => {
  expect(await isAgain(registered)).toBe(true);
  expect(await isAgain({ ...registered, nullValueCounts: new Map() })).toBe(true);
  expect(await isAgain({ ...registered, lowerBounds: new Map([[7, int32(5)]]) })).toBe(true);
});

test.each(['columnSizes', 'valueCounts', 'nullValueCounts', 'lowerBounds', 'upperBounds'] as const)(
  'isReupload: %s alone tell other contents',
  async (name) => {
    const other = name.endsWith('Bounds') ? int32(5) : 5n;
    expect(await isAgain({ ...registered, [name]: new Map([[1, other]]) })).toBe(false);
  },
);

test('isReupload: another size or record count, and what the manifests no longer tell, is never the same', async () => {
  expect(await isAgain(registered, { ...entry, fileSizeInBytes: entry.fileSizeInBytes + 1n })).toBe(false);
  expect(await isAgain(registered, { ...entry, recordCount: 11n })).toBe(false);
  expect(await isAgain(undefined)).toBe(false);
});
