import { expect, test } from 'vitest';
import { RegistrarError } from '../../../lib/errors.ts';
import { readSegment } from '../../../lib/jobs/register/decoded-segment.ts';
import type { SegmentRead } from '../../../lib/jobs/register/read-footers.ts';
import { readFooter } from '../../../lib/segment/read-footer.ts';
import { required, schema } from '../../../local/shipper/schema-notation.ts';
import { writeParquet } from '../../../local/shipper/segment.ts';
import { entry } from '../../fakes/entry.ts';
import { fakeStore } from '../../fakes/store.ts';
import { virtualTime } from '../../fakes/time.ts';

test('readSegment: a footer is decoded once, and anew for another format version or entry', async () => {
  const uri = 's3://lake/a.parquet';
  const store = fakeStore(virtualTime().clock);
  store.upload(uri, writeParquet(schema(required(1, 'at', 'timestamp_ns')), [{ at: 1n }]));
  const read = await readFooter(store, uri, { readAheadBytes: 65_536, maxFooterBytes: 1e6 });
  if (read.kind !== 'footer') throw new Error(read.kind);
  const shipped: SegmentRead = { reference: { scheme: 's3', bucket: 'lake', key: 'a.parquet' }, uri, read };
  const own = entry();

  const inV3 = readSegment(shipped, { formatVersion: 3 }, own);
  expect(inV3).toMatchObject({ recordCount: 1n });
  expect(readSegment(shipped, { formatVersion: 3 }, own)).toBe(inV3);
  expect(readSegment(shipped, { formatVersion: 2 }, own)).toBeInstanceOf(RegistrarError);
  expect(readSegment(shipped, { formatVersion: 3 }, entry())).not.toBe(inV3);
});
