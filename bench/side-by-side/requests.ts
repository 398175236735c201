import { startFaultyProxy } from '../../test/soak/faulty-proxy.ts';
import { type ContenderName, keepsLedger, startContender, tableOf } from './contenders/contender.ts';
import type { RegisterProgram } from './contenders/register-program.ts';
import { buildHistory, noHistory } from './lakehouse/history.ts';
import { startLakehouse } from './lakehouse/lakehouse.ts';
import { upload } from './lakehouse/segments.ts';
import { makeTable } from './lakehouse/tables.ts';

/** The average requests of a commit of one segment. */
export interface RequestCount {
  readonly contender: ContenderName;
  readonly snapshots: number;
  readonly catalog: number;
  readonly store: number;
}

const SIZES = [0, 1_000];
const WARM_UP = 5;
const COUNTED = 4;
const contenders: readonly ContenderName[] = [
  'ours',
  'floor',
  'iceberg-rust',
  'iceberg-go',
  'Java',
  'PyIceberg',
];

/** Counts requests through a proxy before catalog and store, in a separate pass, since the proxy takes time. */
export async function countRequests(register: RegisterProgram): Promise<readonly RequestCount[]> {
  const lakehouse = await startLakehouse();
  const seen = { catalog: 0, store: 0 };
  const count = (which: 'catalog' | 'store', target: string) =>
    startFaultyProxy({
      target,
      seed: '',
      ratesOf: () => undefined,
      onEnd: () => {
        seen[which] += 1;
      },
    });
  const [catalog, store] = await Promise.all([
    count('catalog', lakehouse.catalogUri),
    count('store', lakehouse.storeEndpoint),
  ]);
  const counts: RequestCount[] = [];
  try {
    for (const snapshots of SIZES) {
      const dataset = `counted_${snapshots}`;
      const history = snapshots === 0 ? noHistory : await buildHistory(lakehouse, dataset, snapshots);
      const segments = await upload(lakehouse, dataset, WARM_UP + COUNTED);
      for (const name of contenders) {
        await makeTable(lakehouse, tableOf(dataset, name), history, {
          ledger: keepsLedger(name),
          properties: { 'commit.manifest-merge.enabled': 'false' },
        });
        const contender = startContender(
          name,
          { ...lakehouse, catalogUri: catalog.url, storeEndpoint: store.url },
          register,
        );
        for (const segment of segments.slice(0, WARM_UP)) await contender.register(dataset, [segment]);
        [seen.catalog, seen.store] = [0, 0];
        for (const segment of segments.slice(WARM_UP)) await contender.register(dataset, [segment]);
        counts.push({
          contender: name,
          snapshots,
          catalog: seen.catalog / COUNTED,
          store: seen.store / COUNTED,
        });
        await contender.stop();
      }
    }
    return counts;
  } finally {
    await Promise.all([catalog.close(), store.close()]);
    await lakehouse.close();
  }
}
