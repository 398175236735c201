import { stringifyJson } from '../../lib/spec/json.ts';
import { bodyOf, type Dialect, failure, type Json, kindOf } from './dialect.ts';
import { endpoints, needsCredential, needsHeader, needsWarehouse } from './quirks.ts';

const headers = { 'Polaris-Realm': 'lake-realm' };

/** Apache Polaris 1.7.0, as it ran, in a realm that is not its first. */
export const polaris: Dialect = {
  name: 'Polaris',
  root: '/api/catalog',
  config: {
    prefix: 'lake',
    answer: {
      defaults: { 'default-base-location': 's3://lake' },
      overrides: { 'namespace-separator': '%1F', prefix: 'lake' },
      // It lists one kind without the slash.
      endpoints: [...endpoints(), 'GET polaris/v1/{prefix}/namespaces/{namespace}/generic-tables'],
    },
  },
  settings: {
    catalog_warehouse: 'lake',
    catalog_headers: headers,
    catalog_credential: { client_id: 'registrar', client_secret: 'hush', scope: 'PRINCIPAL_ROLE:ALL' },
  },
  shows: ['renewals', 'not modified'],
  quirks: [
    needsHeader(
      'Polaris-Realm',
      'lake-realm',
      'polaris: DefaultRealmContextResolver',
      { catalog_headers: undefined },
      failure(404, 'MissingOrInvalidRealm', 'Missing or invalid realm'),
    ),
    needsCredential(
      { client_id: 'registrar', client_secret: 'hush', scope: 'PRINCIPAL_ROLE:ALL' },
      'polaris: TokenRequestValidator, DefaultAuthenticator',
      { catalog_credential: { client_id: 'registrar', client_secret: 'hush' } },
    ),
    needsWarehouse('lake', 'polaris: IcebergCatalogAdapter.getConfig'),
    {
      title: 'metadata files must lie below the location of their table',
      source: 'polaris: LocalIcebergCatalog.validateMetadataFileInTableDir',
      serve: (next) => async (request) => {
        const answer = await next(request);
        if (kindOf(request) !== 'register' || answer.status !== 200) return answer;
        const { 'metadata-location': file, metadata } = bodyOf(answer);
        const { location } = metadata as Json;
        return String(file).startsWith(`${location}/`)
          ? answer
          : failure(
              400,
              'BadRequestException',
              `Metadata location ${file} is not allowed outside of ${location}`,
            );
      },
      without: {
        settings: {
          create_via: 'register',
          table_properties: { 'write.metadata.path': 's3://lake/elsewhere' },
        },
      },
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
