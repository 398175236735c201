import { afterAll, beforeAll, expect, test } from 'vitest';
import { orders } from '../../../local/shipper/orders.ts';
import { type MadeSegment, makeSegment } from '../../../local/shipper/segment.ts';
import { canonicalRow, type Row, sorted } from '../readers/canonical.ts';
import { readWithDuckDb } from '../readers/duckdb.ts';
import { type ForeignStep, writeWithPyIceberg } from '../readers/foreign-writer.ts';
import { readWithPyIceberg } from '../readers/pyiceberg.ts';
import { describeWith } from '../services/describe-with.ts';
import { type Deployment, deploy } from './deployment.ts';

const [schema] = orders.versions;

/** Tables are not ours alone: PyIceberg evolves, rewrites, expires and rolls back between registrations. */
describeWith(
  'a table that another writer changes too',
  ['localstack', 'seaweedfs', 'seaweedfsCatalog'],
  ({ localstack, seaweedfsCatalog }) => {
    let deployment: Deployment;
    beforeAll(async () => {
      deployment = await deploy({ catalog: seaweedfsCatalog, sqs: localstack, notifies: false });
    });
    afterAll(() => deployment?.close());

    const segment = (index: number) => makeSegment(orders, 0, index, { rows: 40 });
    const [first, second, third, fourth] = [segment(0), segment(1), segment(2), segment(3)];
    const all = [first, second, third, fourth];
    const table = () => ({ ...deployment, name: orders.name });
    const others = (...steps: readonly ForeignStep[]) => writeWithPyIceberg(table(), steps);
    const register = async (shipped: MadeSegment) => {
      await deployment.upload(shipped.key, shipped.bytes);
      await deployment.untilAcknowledged([shipped]);
    };
    /** As shipped, but for what the other writer changed: `note` is called `remark`, and `reviewed` was added. */
    const expected = (shipped: readonly MadeSegment[]) =>
      sorted(
        shipped.flatMap(({ rows }) =>
          rows.map((row): Row => {
            const { note = null, ...rest } = canonicalRow(schema, row);
            return { ...rest, remark: note, reviewed: null };
          }),
        ),
      );
    const expectRows = async (shipped: readonly MadeSegment[]) => {
      const [pyIceberg, duckDb] = await Promise.all([readWithPyIceberg(table()), readWithDuckDb(table())]);
      expect(sorted(pyIceberg.rows)).toEqual(expected(shipped));
      expect(sorted(duckDb.rows)).toEqual(expected(shipped));
      return pyIceberg;
    };

    test('keeps a rename and a column of theirs, and takes segments as before (I5)', async () => {
      await register(first);
      await others(
        { do: 'rename_column', column: 'note', to: 'remark' },
        { do: 'add_column', column: 'reviewed', type: 'boolean' },
      );
      await register(second);
      const { schema: current } = await expectRows([first, second]);
      const ids = new Map(current.fields.map(({ id, name }) => [name, id]));
      expect(ids.get('remark')).toBe(schema.fields.find(({ name }) => name === 'note')?.id);
      expect(ids.get('reviewed')).toBeGreaterThan(1_000_000);
    });

    test('has each row once when what was compacted is delivered again (I2)', async () => {
      await others({ do: 'overwrite' });
      const compacted = await readWithPyIceberg(table());
      await deployment.redeliverAll();
      await register(third);
      const { dataFiles } = await expectRows([first, second, third]);
      expect(dataFiles).toHaveLength(compacted.dataFiles.length + 1);
    });

    test('gets back what a rollback took, once, when it is delivered again (I2)', async () => {
      const before = await readWithPyIceberg(table());
      await register(fourth);
      await expectRows(all);
      await others({ do: 'rollback', snapshotId: before.currentSnapshotId ?? '' });
      await expectRows([first, second, third]);
      await deployment.restart();
      await deployment.redeliverAll();
      await deployment.redeliverAll();
      await expectRows(all);
      expect(await deployment.quarantined()).toEqual([]);
    });

    test('has no row twice when history expired: what nothing proves waits in quarantine (I2, I9)', async () => {
      await others({ do: 'overwrite' }, { do: 'expire' });
      await deployment.restart();
      await deployment.redeliverAll();
      await expectRows(all);
      const waiting = await deployment.quarantined();
      expect(new Set(waiting.map(({ code }) => code))).toEqual(new Set(['registration.unprovable']));
      expect(new Set(waiting.map(({ segment }) => segment?.uri))).toEqual(
        new Set(all.map(({ key }) => `${deployment.url}/${key}`)),
      );
    });
  },
);
