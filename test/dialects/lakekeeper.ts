import { stringifyJson } from '../../lib/spec/json.ts';
import type { Stack } from '../../local/stack.ts';
import { bodyOf, type Dialect, failure, isCreation, type Json, kindOf, updatesOf } from './dialect.ts';
import { configured, endpoints, needsBearer, needsWarehouse } from './quirks.ts';

const prefix = '01995a2f-6c1e-7000-8000-000000000001';

/** Lakekeeper 0.13; what is said to be seen was seen on 0.13.3. */
export const lakekeeper: Dialect = {
  name: 'Lakekeeper',
  root: '/catalog',
  home: '/lakekeeper/catalog',
  config: configured('defaults', prefix, {
    overrides: { uri: '/lakekeeper/catalog', 'idempotency-key-lifetime': 'PT30M' },
    endpoints: endpoints(),
  }),
  settings: { catalog_warehouse: 'lake', catalog_token: 'lakekeeper-token' },
  quirks: [
    needsBearer('lakekeeper-token', 'lakekeeper: OpenID authentication in front of every route'),
    needsWarehouse('lake', 'lakekeeper: server/config.rs'),
    {
      title: 'the prefix is in the defaults, not in the overrides',
      source: 'lakekeeper: server/config.rs',
      serve: (next) => next,
      without: { request: (request) => ({ ...request, path: request.path.replace(`/${prefix}`, '') }) },
    },
    {
      title: 'everything but the configuration is at a uri of its own, as its server is told by its operator',
      source: 'lakekeeper: server/config.rs, LAKEKEEPER__BASE_URI',
      serve: (next) => next,
      without: {
        request: (request) => ({ ...request, path: request.path.replace('/lakekeeper/catalog', '/catalog') }),
      },
    },
    {
      title: 'a commit makes no table that was not staged before',
      source: 'lakekeeper: commit_tables looks up "active_and_staged" tables; seen',
      serve: (next) => (request) =>
        kindOf(request) === 'commit' && isCreation(bodyOf(request))
          ? failure(404, 'NoSuchTableException', 'Error getting tabular from catalog')
          : next(request),
      without: { settings: { create_via: 'commit' } },
    },
    {
      title: 'no table is created where files lie already; registering one is allowed',
      source: 'lakekeeper: create_table.rs, require_empty_location; register_table has no such check; seen',
      serve: (next) => (request) =>
        kindOf(request) === 'create'
          ? failure(
              400,
              'BadRequestException',
              'Unexpected files in location, tabular locations have to be empty',
            )
          : next(request),
      without: { settings: { create_via: 'create' } },
    },
    {
      title: 'write.data.path and write.metadata.path cannot be set, which is a conflict by its status',
      source:
        'lakekeeper: server/tables.rs, validate_table_properties, for create, register and commit; seen',
      serve:
        (next, { stack }) =>
        (request) => {
          const body = bodyOf(request);
          const kind = kindOf(request);
          const given =
            kind === 'register'
              ? propertiesIn(stack, String(body['metadata-location']))
              : kind === 'create'
                ? body['properties']
                : Object.assign({}, ...updatesOf(body, 'set-properties').map(({ updates }) => updates));
          const refused = Object.keys(given ?? {}).find((name) => /^write\.(data|metadata)\.path/.test(name));
          return refused === undefined
            ? next(request)
            : failure(409, 'FailedToSetProperties', `Properties contain unsupported property: '${refused}'`);
        },
      without: { settings: { table_properties: { 'write.data.path': 's3://lake/elsewhere' } } },
    },
    {
      title: 'snapshots and schemas are listed in another order at every answer',
      source: 'lakekeeper: TableMetadata of iceberg-rust keeps them in a HashMap; seen (lakekeeper.test.ts)',
      serve: (next) => {
        let answers = 0;
        return async (request) => {
          const answer = await next(request);
          const body = /^\s*\{/.test(String(answer.body ?? '')) ? bodyOf(answer) : {};
          const metadata = body['metadata'] as Json | undefined;
          if (metadata === undefined) return answer;
          answers += 1;
          const turned = (list: unknown) => {
            const items = list as readonly unknown[] | undefined;
            const at = answers % (items?.length || 1);
            return items && [...items.slice(at), ...items.slice(0, at)];
          };
          const [snapshots, schemas] = [turned(metadata['snapshots']), turned(metadata['schemas'])];
          return {
            ...answer,
            body: stringifyJson({ ...body, metadata: { ...metadata, snapshots, schemas } }),
          };
        };
      },
    },
    {
      title:
        'a commit that landed is done once under its Idempotency-Key, and answered by the table as it is now',
      source: 'lakekeeper: service/idempotency.rs, replay_commit_table; seen (lakekeeper.test.ts)',
      serve: (next) => {
        const landed = new Set<string>();
        return async (request) => {
          const key = request.headers['idempotency-key'];
          if (kindOf(request) !== 'commit' || key === undefined) return next(request);
          if (landed.has(key)) return next({ ...request, method: 'GET', body: Buffer.alloc(0) });
          const answer = await next(request);
          if (answer.status === 200) landed.add(key);
          return answer;
        };
      },
      without: {
        request: (request) => ({
          ...request,
          headers: { ...request.headers, 'idempotency-key': '01995a2f-6c1e-7000-8000-00000000000f' },
        }),
      },
    },
  ],
};

/** Of a metadata file that is to be registered. */
function propertiesIn(stack: Stack, uri: string): Json | undefined {
  const [, bucket = '', key = ''] = /^s3:\/\/([^/]+)\/(.*)$/.exec(uri) ?? [];
  return JSON.parse(Buffer.from(stack.objects.get(bucket, key)?.bytes ?? '{}').toString()).properties;
}
