import { backfill } from '../../lib/jobs/backfill/backfill.ts';
import { lakeAt, listedObjects } from '../../lib/jobs/backfill/lake.ts';
import type { EntryPorts } from '../../lib/jobs/register/register-ports.ts';
import { wire } from '../../lib/wire.ts';
import type { CatalogService } from '../../test/integration/services/service.ts';
import { settingsOf } from './programs.ts';

/** The durations of requests in milliseconds. */
export interface Latencies {
  readonly read: readonly number[];
  readonly write: readonly number[];
  readonly commit: readonly number[];
}

/** Measures the requests of a backfill of one directory against the real services. */
export async function recordLatencies(service: CatalogService, directory: string): Promise<Latencies> {
  const recorded = { read: [] as number[], write: [] as number[], commit: [] as number[] };
  const wiring = await wire(
    { REGISTRAR_CONFIG: `${JSON.stringify(settingsOf(service, 'recorded'))}\n` },
    process.stderr,
  );
  const timed =
    <A extends readonly unknown[], R>(name: keyof Latencies, call: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      const startedMs = performance.now();
      try {
        return await call(...args);
      } finally {
        recorded[name].push(performance.now() - startedMs);
      }
    };
  const around = ({ store, catalog, ...rest }: EntryPorts): EntryPorts => ({
    ...rest,
    store: { ...store, read: timed('read', store.read), write: timed('write', store.write) },
    catalog: { ...catalog, commit: timed('commit', catalog.commit) },
  });
  const quiet = { info() {}, warn() {}, error() {} };
  await backfill(
    ({ entries, portsOf }) => listedObjects(lakeAt(directory, entries), portsOf),
    { ...wiring, log: quiet, portsOf: (entry) => around(wiring.portsOf(entry)) },
    { segmentsACommit: 500 },
  );
  return recorded;
}
