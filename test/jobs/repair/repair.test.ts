import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { datasetsOf } from '../../../lib/jobs/datasets/datasets.ts';
import { reconcile } from '../../../lib/jobs/reconcile/reconcile.ts';
import { register } from '../../../lib/jobs/register/register.ts';
import { repair } from '../../../lib/jobs/repair/repair.ts';
import { planRepair, type RepairAction } from '../../../lib/jobs/repair/repair-plan.ts';
import type { Schema } from '../../../lib/spec/schema.ts';
import { branchHead } from '../../../lib/spec/table-state.ts';
import { type Engine, openEngine } from '../../../local/demo/engine.ts';
import { attachCatalog, lakeOf, tableSql } from '../../../local/demo/lake.ts';
import { writeParquet } from '../../../local/shipper/segment.ts';
import { fakeQueue } from '../../fakes/queue.ts';
import { foreignAppend } from '../foreign-append.ts';
import { type Registration, type S3Record, startRegistration } from '../registration.ts';

const schema: Schema = {
  type: 'struct',
  fields: [{ id: 1, name: 'id', required: true, type: 'int' }],
};
const nothingFailed = { batchItemFailures: [] };

let registration: Registration;
beforeEach(async () => {
  registration = await startRegistration();
});
afterEach(() => registration.close());

const upload = (name: string, ...ids: readonly number[]): S3Record =>
  registration.upload(
    `thadam/v1/plant/orders/${name}.parquet`,
    writeParquet(
      schema,
      ids.map((id) => ({ id })),
    ),
  );
const uriOf = ({ key }: S3Record) => `s3://lake/${key}`;
const minutes = () => 60_000;

async function repaired(of: S3Record, action: RepairAction) {
  const plan = await planRepair(uriOf(of), action, registration.ports);
  const done = await repair(plan, registration.ports, minutes);
  await registration.coldStart();
  return { plan, done };
}

/** The table's rows, read by an engine that is not this project's code. */
async function ids(): Promise<readonly string[]> {
  const engine: Engine = await openEngine();
  try {
    const { stack } = registration;
    await attachCatalog(engine, lakeOf(stack, 'lake'));
    const table = tableSql({ namespace: ['lake'], name: 'orders' });
    const rows = await engine.query(`SELECT toString(id) FROM ${table} ORDER BY id`);
    return rows.map(([id = '']) => id);
  } finally {
    engine.close();
  }
}

const summary = async () => {
  const state = await registration.table('orders');
  return state && branchHead(state, 'main')?.summary;
};

describe('repair', () => {
  test('removes a bad file; a redelivery does not bring it back (I2)', async () => {
    const bad = upload('bad', 7);
    await registration.deliver([upload('a', 1), bad, upload('c', 3)]);
    const { plan } = await repaired(bad, 'remove');
    expect(plan).toMatchObject({ removes: 1, entries: [{ recordCount: 1n }] });
    expect(await summary()).toMatchObject({
      operation: 'delete',
      'deleted-data-files': '1',
      'total-records': '2',
      'total-data-files': '2',
    });
    expect(await registration.deliver([bad])).toEqual(nothingFailed);
    await registration.deliver([upload('d', 4)]);
    expect(await ids()).toEqual(['1', '3', '4']);
  });

  test('replaces the entry of an overwritten file, whose new contents count as registered from then on (D19)', async () => {
    await registration.deliver([upload('a', 1), upload('b', 2)]);
    const replaced = upload('b', 20, 21, 22);
    await registration.deliver([replaced]);
    expect(await summary()).toMatchObject({ 'total-records': '2' });
    await repaired(replaced, 'replace');
    expect(await summary()).toMatchObject({
      operation: 'overwrite',
      'added-records': '3',
      'deleted-records': '1',
      'total-records': '4',
    });
    expect(await registration.deliver([replaced])).toEqual(nothingFailed);
    expect(await ids()).toEqual(['1', '20', '21', '22']);
  });

  test('replaces nothing where the key holds what its entry says', async () => {
    const a = upload('a', 1, 2);
    await registration.deliver([a, upload('b', 3)]);
    expect(await planRepair(uriOf(a), 'replace', registration.ports)).toMatchObject({
      removes: 0,
      replacement: undefined,
      entries: [{ recordCount: 2n }],
    });
    upload('a', 1, 4);
    expect(await planRepair(uriOf(a), 'replace', registration.ports)).toMatchObject({
      removes: 1,
      replacement: {},
    });
  });

  test('keeps one of a file that is live twice', async () => {
    const doubled = upload('a', 1);
    await registration.deliver([doubled, upload('b', 2)]);
    await foreignAppend(registration, 'orders', [{ uri: uriOf(doubled), sizeBytes: doubled.size }]);
    const { plan } = await repaired(doubled, 'keep-one');
    expect(plan).toMatchObject({ removes: 1, entries: [{}, {}] });
    expect(await ids()).toEqual(['1', '2']);
    expect((await planRepair(uriOf(doubled), 'keep-one', registration.ports)).removes).toBe(0);
  });

  test('removes an entry whose object is gone, so that the table can be read again', async () => {
    const gone = upload('gone', 7);
    await registration.deliver([upload('a', 1), gone]);
    registration.stack.objects.delete('lake', gone.key);
    await expect(ids()).rejects.toThrow();
    await repaired(gone, 'remove');
    expect(await ids()).toEqual(['1']);
    await expect(planRepair(uriOf(gone), 'replace', registration.ports)).rejects.toMatchObject({
      code: 'segment.missing',
    });
  });

  test('is done once, despite a conflict and a lost answer', async () => {
    const bad = upload('bad', 7);
    await registration.deliver([upload('a', 1), bad]);
    const plan = await planRepair(uriOf(bad), 'remove', registration.ports);
    let commits = 0;
    registration.fault = (request) => {
      if (request.method !== 'POST' || !/\/tables\/orders$/.test(request.path)) return undefined;
      commits += 1;
      if (commits === 1) return { when: 'before', answer: { status: 409, body: '{}' } };
      return { when: 'after', answer: { status: 502, body: '<html>' } };
    };
    const { snapshotId } = await repair(plan, registration.ports, minutes);
    registration.fault = undefined;
    expect(snapshotId).toBeDefined();
    expect(await ids()).toEqual(['1']);
  });

  test('returns its own snapshot ID when its answer is lost and another commit follows', async () => {
    const bad = upload('bad', 7);
    await registration.deliver([upload('a', 1), bad]);
    const plan = await planRepair(uriOf(bad), 'remove', registration.ports);
    let own: bigint | undefined;
    registration.around = (services) => ({
      ...services,
      catalog: {
        ...services.catalog,
        async commit(...request) {
          registration.around = undefined;
          await services.catalog.commit(...request);
          own = branchHead((await registration.table('orders')) ?? never(), 'main')?.snapshotId;
          await registration.deliver([upload('b', 2)]);
          return { outcome: 'unknown', message: 'reset' };
        },
      },
    });
    expect(await repair(plan, registration.ports, minutes)).toEqual({ snapshotId: own });
    expect(own).toBeDefined();
  });

  test.each<RepairAction>(['remove', 'replace'])(
    'a commit to %s that landed but was reported as refused counts as the repair (D3)',
    async (action) => {
      const bad = upload('a', 1);
      await registration.deliver([bad, upload('b', 2)]);
      const key = bad.key.slice('in/'.length);
      registration.upload(key, writeParquet(schema, [{ id: 3 }, { id: 4 }]));
      let commits = 0;
      registration.around = (services) => ({
        ...services,
        catalog: {
          ...services.catalog,
          async commit(...request) {
            const done = await services.catalog.commit(...request);
            commits += 1;
            return commits > 1 ? done : { outcome: 'refused', reason: 'conflict', message: 'sent twice' };
          },
        },
      });
      const plan = await planRepair(uriOf(bad), action, registration.ports);
      expect(await repair(plan, registration.ports, minutes)).toEqual({ snapshotId: undefined });
      expect(commits).toBe(1);
      expect(await ids()).toEqual(action === 'remove' ? ['2'] : ['2', '3', '4']);
    },
  );

  test('refuses a plan that is older than the entries', async () => {
    const bad = upload('bad', 7);
    await registration.deliver([upload('a', 1), bad]);
    const plan = await planRepair(uriOf(bad), 'remove', registration.ports);
    await repaired(bad, 'remove');
    await expect(repair(plan, registration.ports, minutes)).rejects.toMatchObject({
      code: 'catalog.conflict',
    });
  });

  test('does not replace an entry by an object that does not fit the table', async () => {
    const one = upload('a', 1);
    await registration.deliver([one]);
    registration.stack.objects.put('lake', one.key, Buffer.from('not Parquet at all'));
    await expect(planRepair(uriOf(one), 'replace', registration.ports)).rejects.toMatchObject({
      code: 'segment.unreadable',
    });
  });

  test('a removed file is reported as deleted by reconcile, and stays removed', async () => {
    const bad = upload('bad', 7);
    await registration.deliver([upload('a', 1), bad]);
    await repaired(bad, 'remove');
    const { ports } = registration;
    const [entry] = ports.entries;
    if (entry === undefined) throw new Error('no entry');
    const [dataset] = await Array.fromAsync(datasetsOf(entry, ports.entries, ports.portsOf(entry).store));
    if (dataset === undefined) throw new Error('no dataset');
    const queue = fakeQueue(ports.clock, ports.random);
    const report = await reconcile(
      dataset,
      { ...ports, queue },
      { missing: register, graceMs: -60_000 },
      minutes,
    );
    expect(report).toMatchObject({ reported: { deleted: { sample: [uriOf(bad)] } }, done: {} });
  });
});

function never(): never {
  throw new Error('no table "orders"');
}
