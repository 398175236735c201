import { expect, test } from 'vitest';
import { segmentUris, upload } from '../../../bench/backfill/lake.ts';
import { startOurs } from '../../../bench/backfill/programs.ts';
import { tablePaths } from '../../../bench/backfill/table-paths.ts';
import { s3Store } from '../../../lib/drivers/s3.ts';
import { readWithPyIceberg } from '../readers/pyiceberg.ts';
import { describeWith } from '../services/describe-with.ts';
import { storeSettings } from '../services/settings.ts';

const SEGMENTS = 300;

describeWith('backfill of real services', ['seaweedfsCatalog'], ({ seaweedfsCatalog: service }) => {
  test('is killed in the middle and begun again: no segment lost, none twice, every row read by PyIceberg', async () => {
    const url = `s3://${service.store.bucket}/in`;
    const uris = segmentUris(url, 0, SEGMENTS);
    await upload(s3Store(storeSettings(service.store)), uris);

    const killed = startOurs(service, 'backfilled', url, ['--commit-size', '5']);
    while (killed.child.exitCode === null && (await tablePaths(service, 'backfilled')).length === 0);
    killed.child.kill('SIGKILL');
    await killed.ended;
    const before = (await tablePaths(service, 'backfilled')).length;
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThan(SEGMENTS);

    const { ended, child } = startOurs(service, 'backfilled', url, ['--json']);
    const { stdout } = await ended;
    expect(child.exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ done: { committed: SEGMENTS - before }, registered: before });
    expect((await tablePaths(service, 'backfilled')).toSorted()).toEqual(uris);

    const table = await readWithPyIceberg({ catalog: service, namespace: ['backfilled'], name: 'orders' });
    expect(table.rowCount).toBe(SEGMENTS * 200);
    expect(table.rows.length).toBe(SEGMENTS * 200);
    expect(table.dataFiles.length).toBe(SEGMENTS);
  });
});
