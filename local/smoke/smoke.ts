import { setTimeout as sleep } from 'node:timers/promises';
import type { Entry } from '../../lib/config/entry.ts';
import { RegistrarError } from '../../lib/errors.ts';
import { listFailures, recordsOf } from '../../lib/jobs/quarantine/quarantine-list.ts';
import { discard, redrive } from '../../lib/jobs/quarantine/quarantine-redrive.ts';
import { manifestReader } from '../../lib/jobs/register/table-manifests.ts';
import { sampleUri } from '../../lib/route/sample-uri.ts';
import { formatIdentifier } from '../../lib/spec/table-identifier.ts';
import { readTableMetadata } from '../../lib/spec/table-metadata.ts';
import { branchHead } from '../../lib/spec/table-state.ts';
import type { Wiring } from '../../lib/wire.ts';
import { orders } from '../shipper/orders.ts';
import { makeSegment } from '../shipper/segment.ts';

const ROWS = 100;
const WAIT_MS = 180_000;
const LOOK_MS = 500;

/**
 * Tests a deployment from outside: an upload becomes rows; a file that is not Parquet is quarantined, while the file beside it is registered.
 * A redrive sends the broken file again, and after its correction it is registered too, once like every other. Uses its own dataset, whose
 * table and files remain, since the registrar deletes nothing.
 *
 * @param say called with every step that succeeded
 * @throws `config.invalid` when no entry accepts a new dataset, `internal.error` naming the step that did not succeed within three minutes
 */
export async function smoke(wiring: Wiring, say: (line: string) => void): Promise<void> {
  const entry = takingAny(wiring.entries);
  const dataset = `smoke_${wiring.random.uuid().slice(0, 8)}`;
  const { store, catalog, tableStore = store } = wiring.portsOf(entry);
  const uriOf = (name: string) => sampleUri(entry, dataset, `${name}.parquet`);
  const upload = (name: string, bytes: Uint8Array) => store.write(uriOf(name), bytes);
  const good = (index: number) => makeSegment(orders, 0, index, { rows: ROWS }).bytes;

  const looked = async () => {
    const identifier = { namespace: entry.namespace, name: dataset };
    const loaded = await catalog.load(identifier);
    if (loaded === undefined) return { rows: 0, files: [] };
    const head = branchHead(readTableMetadata(identifier, loaded), entry.branch);
    const files: string[] = [];
    if (head !== undefined)
      for await (const { filePath } of manifestReader(tableStore).live(head)) files.push(filePath);
    return { rows: Number(head?.summary['total-records'] ?? 0), files: files.sort() };
  };
  const holds = async (...names: readonly string[]) => {
    const expected = { rows: names.length * ROWS, files: names.map(uriOf).sort() };
    const found = await looked();
    return JSON.stringify(found) === JSON.stringify(expected) || `the table has ${JSON.stringify(found)}`;
  };
  const failures = async () =>
    (await recordsOf(wiring, uriOf('broken'))).filter(({ record }) => record.kind === 'failure').length;
  const step = async (what: string, done: () => Promise<true | string>) => {
    await until(what, done);
    say(`ok  ${what}`);
  };

  say(`${formatIdentifier({ namespace: entry.namespace, name: dataset })}, uploaded to ${uriOf('…')}`);
  await upload('first', good(0));
  await step('an uploaded segment becomes a snapshot with its rows', () => holds('first'));

  await Promise.all([upload('broken', Buffer.from('PAR1 is not all of it')), upload('second', good(1))]);
  await step('a broken segment beside it holds up nothing', () => holds('first', 'second'));
  await step('it is in quarantine', async () => (await failures()) === 1 || 'nothing is in quarantine');

  const ofBroken = { uris: [uriOf('broken')] };
  const [sent] = await redrive(await listFailures(wiring, ofBroken), wiring);
  if (sent?.sent !== true) throw failed('a redrive sends it', sent?.reason ?? 'nothing was to be sent');
  await step(
    'after a redrive it is examined and quarantined again',
    async () => (await failures()) === 2 || 'it has not come back',
  );

  await upload('broken', good(2));
  await step('uploaded correctly it is registered, every file once', () =>
    holds('first', 'second', 'broken'),
  );
  await discard(await listFailures(wiring, ofBroken), wiring);
}

function takingAny(entries: readonly Entry[]): Entry {
  const entry = entries.find(
    ({ create_table, from, partition_by }) => create_table && from === undefined && partition_by.length === 0,
  );
  if (entry !== undefined) return entry;
  throw new RegistrarError(
    'config.invalid',
    'Cannot test the deployment with its own dataset: no entry has create_table: true and accepts any dataset; test a deployment that does, such as a separate stage',
  );
}

async function until(what: string, done: () => Promise<true | string>): Promise<void> {
  const endMs = Date.now() + WAIT_MS;
  for (;;) {
    const found = await done();
    if (found === true) return;
    if (Date.now() > endMs) throw failed(what, found);
    await sleep(LOOK_MS);
  }
}

function failed(what: string, found: string): RegistrarError {
  return new RegistrarError(
    'internal.error',
    `Cannot see that ${what}: ${found}; see the log of register and its quarantine`,
  );
}
