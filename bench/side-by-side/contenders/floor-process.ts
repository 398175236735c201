/**
 * The minimum of a registration: one suffix GET per segment, two parallel PUTs, one POST. `node floor-process.ts SERVICES [load]`, where
 * `load` adds one load of the table in parallel to the GETs. The project's own stages prepare bytes and signatures before the measured time,
 * so that the result is a valid table. Plain undici sends the requests.
 */
import pLimit from 'p-limit';
import { Pool } from 'undici';
import { s3Store } from '../../../lib/drivers/s3.ts';
import { NAMESPACE } from '../lakehouse/lakehouse.ts';
import type { Segment } from '../lakehouse/segments.ts';
import { uriOf } from '../lakehouse/segments.ts';
import type { Services } from './contender.ts';
import { type ReadyRequest, send, storeRequests } from './floor-requests.ts';
import { type FloorTable, openFloorTable } from './floor-table.ts';
import { serve } from './protocol.ts';

interface Job {
  readonly table: string;
  readonly segments: readonly Segment[];
}

interface ReadyCommit {
  readonly loads: readonly ReadyRequest[];
  readonly footers: readonly ReadyRequest[];
  readonly uploads: readonly ReadyRequest[];
  readonly commit: ReadyRequest;
}

/** As many as the registrar. */
const FOOTERS_AT_ONCE = 64;

const [, , services = '', loads] = process.argv;
const { catalog, ...access } = JSON.parse(services) as Services;
const requests = storeRequests(access);
const store = s3Store({
  endpoint: access.endpoint,
  region: access.region,
  allow_http: true,
  path_style: true,
  access_key_id: access.accessKeyId,
  secret_access_key: access.secretAccessKey,
});
const toStore = new Pool(access.endpoint);
const toCatalog = new Pool(catalog);
const tables = new Map<string, FloorTable>();
const limit = pLimit(FOOTERS_AT_ONCE);

await serve<Job, ReadyCommit>({
  prepare,
  work: async ({ loads, footers, uploads, commit }) => {
    await Promise.all([
      ...loads.map((request) => send(toCatalog, request)),
      ...footers.map((request) => limit(() => send(toStore, request))),
    ]);
    await Promise.all(uploads.map((request) => send(toStore, request)));
    await send(toCatalog, commit);
    return {};
  },
});

async function prepare({ table, segments }: Job): Promise<ReadyCommit> {
  const known = tables.get(table) ?? (await openFloorTable(catalog, table, store));
  tables.set(table, known);
  const { footerBytes, manifest, list, body } = await known.next(segments);
  const path = `/v1/namespaces/${NAMESPACE}/tables/${table}`;
  const headers = { 'content-type': 'application/json' };
  return {
    loads: loads === 'load' ? [{ method: 'GET', path, headers: {} }] : [],
    footers: await Promise.all(
      segments.map((segment, at) => requests.getEnd(uriOf(segment), footerBytes[at] ?? 0)),
    ),
    uploads: await Promise.all([manifest, list].map((one) => requests.put(one.path, one.bytes))),
    commit: { method: 'POST', path, headers, body: Buffer.from(body) },
  };
}
