import { randomUUID } from 'node:crypto';
import { s3Store } from '../../lib/drivers/s3.ts';
import { readTableMetadata } from '../../lib/spec/table-metadata.ts';
import { branchHead } from '../../lib/spec/table-state.ts';
import { type ReadyRequest, storeRequests } from '../side-by-side/contenders/floor-requests.ts';
import { openFloorTable } from '../side-by-side/contenders/floor-table.ts';
import { type Lakehouse, NAMESPACE } from '../side-by-side/lakehouse/lakehouse.ts';
import { type Segment, uriOf } from '../side-by-side/lakehouse/segments.ts';
import type { Program } from './process-time.ts';

/** @param file the bundled `floor.mjs` */
export async function floorProgram(
  file: string,
  { catalogUri, store, ask }: Pick<Lakehouse, 'catalogUri' | 'store' | 'ask'>,
  table: string,
  segment: Segment,
): Promise<Program> {
  const { endpoint, region, accessKeyId, secretAccessKey } = store;
  const files = s3Store({
    endpoint,
    region,
    path_style: true,
    access_key_id: accessKeyId,
    secret_access_key: secretAccessKey,
  });
  const path = `/v1/namespaces/${NAMESPACE}/tables/${table}`;
  const loaded = (await ask('GET', path.slice('/v1/'.length))) as { metadata: Record<string, unknown> };
  const state = readTableMetadata(
    { namespace: [NAMESPACE], name: table },
    { metadataLocation: randomUUID(), metadata: loaded.metadata },
  );
  const parentList = branchHead(state, 'main')?.manifestList;
  const { footerBytes, manifest, list, body } = await (await openFloorTable(catalogUri, table, files)).next([
    segment,
  ]);
  const requests = storeRequests({ endpoint, region, accessKeyId, secretAccessKey });
  const ofStore = async (request: Promise<ReadyRequest>) => ({ to: 'store', ...encoded(await request) });
  const ofCatalog = (request: ReadyRequest) => ({ to: 'catalog', ...encoded(request) });
  const phases = [
    [
      [await ofStore(requests.getEnd(uriOf(segment), footerBytes[0] ?? 0))],
      [
        ofCatalog({ method: 'GET', path: '/v1/config', headers: {} }),
        ofCatalog({ method: 'GET', path, headers: {} }),
      ],
    ],
    parentList === undefined ? [] : [[await ofStore(requests.getEnd(parentList, WHOLE_BYTES))]],
    await Promise.all(
      [manifest, list].map(async (one) => [await ofStore(requests.put(one.path, one.bytes))]),
    ),
    [
      [
        ofCatalog({
          method: 'POST',
          path,
          headers: { 'content-type': 'application/json' },
          body: Buffer.from(body),
        }),
      ],
    ],
  ];
  return { args: [file, catalogUri, endpoint], input: JSON.stringify(phases) };
}

const WHOLE_BYTES = 64 * 1024 * 1024;

function encoded({ body, ...request }: ReadyRequest) {
  return { ...request, ...(body !== undefined && { body: body.toString('base64') }) };
}
