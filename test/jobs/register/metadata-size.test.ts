import { expect, test } from 'vitest';
import { warnOfSize } from '../../../lib/jobs/register/metadata-size.ts';
import type { LogRecord } from '../../../lib/ports.ts';
import { tableState } from '../../fakes/table-state.ts';

const MIB = 1024 * 1024;

test('warnOfSize says once for each further 4 MiB what helps', () => {
  const warnings: LogRecord[] = [];
  const sizes = [undefined, 3.9, 4.1, 4.2, 7.9, 8.1, 2, 4].map((mib) =>
    tableState(mib === undefined ? {} : { metadataBytes: mib * MIB }),
  );
  for (const [at, after] of sizes.entries()) {
    warnOfSize(sizes[at - 1] ?? after, after, { warn: (record) => warnings.push(record) });
  }
  expect(warnings.map(({ metadataBytes }) => Number(metadataBytes) / MIB)).toStrictEqual([4.1, 8.1, 4]);
  expect(warnings[0]).toMatchObject({
    event: 'metadata-large',
    table: 'lake.orders',
    advice: expect.stringContaining("expire_snapshots(table => 'lake.orders'"),
  });
});
