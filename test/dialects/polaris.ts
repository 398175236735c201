import { stringifyJson } from '../../lib/spec/json.ts';
import { bodyOf, type Dialect, failure, type Json, kindOf, tableAt, updatesOf } from './dialect.ts';
import { configured, endpoints, needsCredential, needsHeader, needsWarehouse } from './quirks.ts';

const headers = { 'Polaris-Realm': 'lake-realm' };

/** Apache Polaris 1.7. */
export const polaris: Dialect = {
  name: 'Polaris',
  root: '/api/catalog',
  config: configured('overrides', 'lake', { endpoints: endpoints() }),
  settings: {
    catalog_warehouse: 'lake',
    catalog_headers: headers,
    catalog_credential: { client_id: 'registrar', client_secret: 'hush', scope: 'PRINCIPAL_ROLE:ALL' },
  },
  shows: ['renewals', 'not modified'],
  quirks: [
    needsHeader('Polaris-Realm', 'lake-realm', 'polaris: DefaultRealmContextResolver', {
      catalog_headers: undefined,
    }),
    needsCredential(
      { client_id: 'registrar', client_secret: 'hush', scope: 'PRINCIPAL_ROLE:ALL' },
      'polaris: TokenRequestValidator, DefaultAuthenticator',
      { catalog_credential: { client_id: 'registrar', client_secret: 'hush' } },
    ),
    needsWarehouse('lake', 'polaris: IcebergCatalogAdapter.getConfig'),
    {
      title: 'every snapshot’s manifest list must lie below the location of its table',
      source: 'polaris: LocalIcebergCatalog, validateLocationForTableLike',
      serve: (next, world) => (request) => {
        if (kindOf(request) !== 'commit') return next(request);
        const lists = updatesOf(bodyOf(request), 'add-snapshot').map(({ snapshot }) =>
          String((snapshot as Record<string, unknown>)['manifest-list']),
        );
        const outside = lists.find((list) => !list.startsWith(`${tableAt(request, world).location}/`));
        return outside === undefined
          ? next(request)
          : failure(403, 'ForbiddenException', `Invalid locations '[${outside}]' for identifier`);
      },
      without: { settings: { table_properties: { 'write.metadata.path': 's3://lake/elsewhere' } } },
    },
    {
      title: 'a load with snapshots=refs answers the heads of branches and tags alone, without the history',
      source: 'REST specification, loadTable; polaris: IcebergCatalogHandler.filterResponseToSnapshots',
      serve: (next) => async (request) => {
        const answer = await next(request);
        if (kindOf(request) !== 'load' || request.query.get('snapshots') !== 'refs') return answer;
        if (answer.status !== 200) return answer;
        const { metadata, ...rest } = bodyOf(answer) as { readonly metadata: Json };
        const { snapshots = [], refs = {} } = metadata as {
          readonly snapshots?: readonly Json[];
          readonly refs?: Readonly<Record<string, Json>>;
        };
        const heads = Object.values(refs).map((ref) => ref['snapshot-id']);
        const kept = snapshots.filter((snapshot) => heads.includes(snapshot['snapshot-id']));
        return { ...answer, body: stringifyJson({ ...rest, metadata: { ...metadata, snapshots: kept } }) };
      },
      without: {
        request: (request) => ({
          ...request,
          query: new URLSearchParams([...request.query, ['snapshots', 'refs']]),
        }),
      },
    },
    {
      title: 'a table that has not changed is answered by 304',
      source:
        'polaris: IcebergCatalogHandler.loadTableIfStale, IcebergHttpUtil.generateETagForMetadataFileLocation',
      serve:
        (next, { seen }) =>
        async (request) => {
          const answer = await next(request);
          if (answer.status === 304) seen.set('not modified', (seen.get('not modified') ?? 0) + 1);
          return answer;
        },
      without: {
        request: ({ headers: { 'if-none-match': _, ...sent }, ...request }) => ({
          ...request,
          headers: sent,
        }),
      },
    },
  ],
};
