import { randomUUID } from 'node:crypto';
import type { SegmentReference } from '../../lib/event/segment-reference.ts';
import { register } from '../../lib/jobs/register/register.ts';
import type { Log, Store } from '../../lib/ports.ts';
import type { SegmentOutcome } from '../../lib/report/outcome.ts';
import type { TableIdentifier } from '../../lib/spec/table-identifier.ts';
import { wire } from '../../lib/wire.ts';
import type { CatalogService } from '../../test/integration/services/service.ts';
import { storeSettings } from '../../test/integration/services/settings.ts';

/** The registrar of one table, made from what is shipped to it first. */
export interface Registrar {
  readonly table: TableIdentifier;
  /** Where segments and the table's own files lie. */
  readonly location: string;
  /** Uploads segments and registers them in one commit. @throws Error when one of them is not committed */
  ship(...segments: readonly Uint8Array[]): Promise<void>;
  /** The same, and what became of them. */
  offer(...segments: readonly Uint8Array[]): Promise<readonly SegmentOutcome[]>;
  readonly store: Store;
}

const QUIET: Log = { info() {}, warn() {}, error() {} };

/** @param settings of the configuration's entry */
export async function openRegistrar(
  service: CatalogService,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<Registrar> {
  const { bucket } = service.store;
  const id = `r${randomUUID().slice(0, 8)}`;
  const url = `s3://${bucket}/${id}`;
  const wiring = await wire({
    REGISTRAR_CONFIG: JSON.stringify({
      url,
      layout: '{url}/{dataset}/…',
      catalog_uri: service.uri,
      namespace: id,
      create_table: true,
      store: storeSettings(service.store),
      ...settings,
    }),
  });
  const [entry] = wiring.entries;
  if (entry === undefined) throw new Error('the configuration has no entry');
  const { store } = wiring.portsOf(entry);
  const registrar: Registrar = {
    table: { namespace: [id], name: 't' },
    location: `${url}/t`,
    store,
    async offer(...segments) {
      const references = await Promise.all(
        segments.map(async (bytes): Promise<SegmentReference> => {
          const key = `${id}/t/${randomUUID()}.parquet`;
          await store.write(`s3://${bucket}/${key}`, bytes);
          return { scheme: 's3', bucket, key };
        }),
      );
      return (await register(references, { ...wiring, log: QUIET }, () => 60_000)).outcomes;
    },
    async ship(...segments) {
      for (const outcome of await registrar.offer(...segments)) {
        if (outcome.kind === 'committed') continue;
        throw 'error' in outcome ? outcome.error : new Error(`Cannot ship: a segment is ${outcome.kind}`);
      }
    },
  };
  return registrar;
}
