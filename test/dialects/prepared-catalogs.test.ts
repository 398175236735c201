import { afterEach, describe, expect, test } from 'vitest';
import type { HttpRequest } from '../../local/http-service.ts';
import { json, type ScriptedServer, scriptedServer } from '../fakes/http.ts';
import { lakekeeperCatalog } from '../integration/services/lakekeeper.ts';
import { polarisCatalog } from '../integration/services/polaris.ts';

/** What the containers of Polaris and Lakekeeper are asked before they are catalogs: their own documentation, as requests. */
const store = {
  endpoint: 'http://127.0.0.1:8333',
  region: 'us-east-1',
  accessKeyId: 'key',
  secretAccessKey: 'own-secret',
  bucket: 'lake',
};
let server: ScriptedServer;
afterEach(() => server.close());

const bodyOf = ({ body }: HttpRequest) => JSON.parse(body.toString());

describe('polarisCatalog', () => {
  const polaris = () =>
    scriptedServer((line, { headers, body }) => {
      if (line === 'POST /api/catalog/v1/oauth/tokens') {
        const form = new URLSearchParams(body.toString());
        const known = ['root s3cr3t', 'its-id its-secret'];
        const who = `${form.get('client_id')} ${form.get('client_secret')}`;
        if (form.get('scope') !== 'PRINCIPAL_ROLE:ALL' || !known.includes(who))
          return json(401, { error: 'unauthorized_client' });
        return json(200, { access_token: `${form.get('client_id')}-token` });
      }
      if (headers['authorization'] !== 'Bearer root-token' || headers['polaris-realm'] !== 'POLARIS')
        return json(401, {});
      return line.endsWith('/principals')
        ? json(201, { credentials: { clientId: 'its-id', clientSecret: 'its-secret' } })
        : { status: 201 };
    });

  test('makes the catalog, a principal, and the roles between them, each before what needs it', async () => {
    server = await polaris();
    await polarisCatalog(server.url, store, 'http://10.0.0.2:8333');
    const management = '/api/management/v1';
    expect(server.lines).toStrictEqual([
      'POST /api/catalog/v1/oauth/tokens',
      `POST ${management}/principals`,
      `POST ${management}/principal-roles`,
      `PUT ${management}/principals/registrar/principal-roles`,
      'POST /api/catalog/v1/oauth/tokens',
      `POST ${management}/catalogs`,
      `POST ${management}/catalogs/lake/catalog-roles`,
      `PUT ${management}/principal-roles/loaders/catalog-roles/lake`,
      `PUT ${management}/catalogs/lake/catalog-roles/content/grants`,
      'POST /api/catalog/v1/oauth/tokens',
    ]);
    const created = server.requests[server.lines.indexOf(`POST ${management}/catalogs`)];
    expect(created && bodyOf(created)).toMatchObject({
      catalog: {
        storageConfigInfo: {
          allowedLocations: ['s3://lake'],
          endpoint: 'http://127.0.0.1:8333',
          endpointInternal: 'http://10.0.0.2:8333',
        },
      },
    });
  });

  test('lets the registrar in as the principal, and not as root', async () => {
    server = await polaris();
    expect(await polarisCatalog(server.url, store, store.endpoint)).toMatchObject({
      uri: `${server.url}/api/catalog`,
      token: 'its-id-token',
      wayIn: {
        catalog_credential: {
          client_id: 'its-id',
          client_secret: 'its-secret',
          scope: 'PRINCIPAL_ROLE:ALL',
        },
      },
    });
  });
});

describe('lakekeeperCatalog', () => {
  test('bootstraps the server, then makes a warehouse on the bucket', async () => {
    server = await scriptedServer(() => ({ status: 204 }));
    const { uri } = await lakekeeperCatalog(server.url, store, 'http://10.0.0.2:8333');
    expect(uri).toBe(`${server.url}/catalog`);
    expect(server.lines).toStrictEqual(['POST /management/v1/bootstrap', 'POST /management/v1/warehouse']);
    const [, made] = server.requests;
    expect(made && bodyOf(made)).toMatchObject({
      'storage-profile': { bucket: 'lake', endpoint: 'http://10.0.0.2:8333' },
    });
  });

  test('says what it was refused', async () => {
    server = await scriptedServer((line) =>
      line.endsWith('/warehouse')
        ? json(400, { error: { message: 'no access to the bucket' } })
        : { status: 204 },
    );
    await expect(lakekeeperCatalog(server.url, store, store.endpoint)).rejects.toThrow(
      /Cannot POST ".*\/warehouse": 400 .*no access to the bucket/,
    );
  });
});
