import { stringifyJson } from '../../lib/spec/json.ts';
import type { Schema } from '../../lib/spec/schema.ts';
import { withFreshIds } from '../../local/catalog/fresh-ids.ts';
import {
  bodyOf,
  type Dialect,
  failure,
  isCreation,
  type Json,
  kindOf,
  tableAt,
  updatesOf,
  withBody,
} from './dialect.ts';
import { configured, encodesAgain, endpoints } from './quirks.ts';

/** Project Nessie 0.108.4, as it ran. Tables are made by a commit here, so that the schema is remapped. */
export const nessie: Dialect = {
  name: 'Nessie',
  root: '/iceberg',
  config: configured('defaults', 'main%7Clake', { endpoints: endpoints() }),
  settings: { catalog_warehouse: 'lake', create_via: 'commit', on_unprovable: 'register' },
  quirks: [
    {
      title: 'the prefix comes encoded, and is not encoded again',
      source: 'nessie: IcebergConfigurer.icebergConfigPerWarehouse',
      serve: (next) => next,
      without: encodesAgain,
    },
    {
      title: 'it tells where it wants to be called: at the host that the request names',
      source: 'nessie: IcebergConfigurer.icebergConfigPerWarehouse, ExternalBaseUriImpl',
      serve: (next) => async (request) => {
        const answer = await next(request);
        if (kindOf(request) !== 'config') return answer;
        const { overrides, ...rest } = bodyOf(answer);
        const uri = `http://${request.headers['host']}/iceberg/`;
        return { ...answer, body: stringifyJson({ ...rest, overrides: { ...(overrides as Json), uri } }) };
      },
      without: {
        request: (request) => ({ ...request, headers: { ...request.headers, host: 'inside.example' } }),
      },
    },
    {
      title: 'the last snapshot of a table is shown alone, and without its parent',
      source: 'nessie: NessieModelIceberg.nessieTableSnapshotToIceberg',
      serve: (next) => async (request) => {
        const answer = await next(request);
        const { metadata, ...rest } = answer.status === 200 ? bodyOf(answer) : {};
        if (metadata === undefined) return answer;
        return { ...answer, body: stringifyJson({ ...rest, metadata: lastAlone(metadata as Json) }) };
      },
      without: { settings: { on_unprovable: 'quarantine' } },
    },
    {
      title: 'the first schema of a table gets new field IDs, in a commit too',
      source: 'nessie: NessieModelIceberg.addSchema',
      serve: (next) => (request) => {
        const body = bodyOf(request);
        if (kindOf(request) !== 'commit' || !isCreation(body)) return next(request);
        const updates = (body['updates'] as readonly Json[]).map((update) =>
          update['action'] === 'add-schema'
            ? { action: 'add-schema', schema: withFreshIds(update['schema'] as unknown as Schema).schema }
            : update,
        );
        return next(withBody(request, { ...body, updates }));
      },
      // A registrar that takes the table as it was made: what would give it its own IDs does not arrive.
      without: {
        request: (request) => {
          const body = request.method === 'POST' ? bodyOf(request) : {};
          const updates = (body['updates'] ?? []) as readonly Json[];
          if (isCreation(body) || updates.length === 0 || updatesOf(body, 'add-snapshot').length > 0)
            return request;
          return withBody(request, {
            ...body,
            updates: updates.filter(({ action }) => !/schema/.test(String(action))),
          });
        },
      },
    },
    {
      title: 'a schema is added under an ID that no other has',
      source: 'nessie: IcebergMetadataUpdate.AddSchema',
      serve: (next, world) => (request) => {
        const body = bodyOf(request);
        if (kindOf(request) !== 'commit' || isCreation(body)) return next(request);
        const ids = tableAt(request, world).schemas.map((schema) => schema['schema-id']);
        const taken = updatesOf(body, 'add-schema').some(({ schema }) =>
          ids.includes(((schema as Json)['schema-id'] as number | undefined) ?? 0),
        );
        return taken ? failure(400, 'BadRequestException', 'schema ID is taken') : next(request);
      },
      without: {
        request: (request) => {
          const body = request.method === 'POST' ? bodyOf(request) : {};
          if (updatesOf(body, 'add-schema').length === 0 || isCreation(body)) return request;
          const updates = (body['updates'] as readonly Json[]).map((update) =>
            update['action'] === 'add-schema'
              ? { ...update, schema: { ...(update['schema'] as Json), 'schema-id': 0 } }
              : update,
          );
          return withBody(request, { ...body, updates });
        },
      },
    },
    {
      title: 'a branch is set right after the snapshot that it is set to',
      source: 'nessie: IcebergMetadataUpdate.SetSnapshotRef',
      serve: (next) => (request) => {
        const updates = ((kindOf(request) === 'commit' && bodyOf(request)['updates']) ||
          []) as readonly Json[];
        const misplaced = updates.some(
          (update, at) =>
            update['action'] === 'set-snapshot-ref' && updates[at - 1]?.['action'] !== 'add-snapshot',
        );
        return misplaced ? failure(400, 'BadRequestException', 'no such snapshot') : next(request);
      },
      without: {
        request: (request) => {
          const body = request.method === 'POST' ? bodyOf(request) : {};
          if (updatesOf(body, 'set-snapshot-ref').length === 0) return request;
          const updates = (body['updates'] as readonly Json[]).toSorted(
            (a, b) => Number(b['action'] === 'set-snapshot-ref') - Number(a['action'] === 'set-snapshot-ref'),
          );
          return withBody(request, { ...body, updates });
        },
      },
    },
  ],
};

function lastAlone(metadata: Json): Json {
  const last = ({ 'snapshot-id': id }: Json) => id === metadata['current-snapshot-id'];
  const snapshots = ((metadata['snapshots'] ?? []) as readonly Json[])
    .filter(last)
    .map(({ 'parent-snapshot-id': _, ...snapshot }) => snapshot);
  const log = ((metadata['snapshot-log'] ?? []) as readonly Json[]).filter(last);
  return { ...metadata, snapshots, 'snapshot-log': log };
}
