import { createServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createServer as createTcpServer } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type RestCatalogSettings, restCatalog } from '../../../lib/drivers/rest-catalog/rest-catalog.ts';
import { serverCertificate } from '../../../lib/drivers/rest-catalog/server-certificate.ts';
import { type Authority, type Certificate, makeAuthorities } from '../../fakes/certificates.ts';
import { seededRandom } from '../../fakes/random.ts';
import { loadedTable } from './scripted-catalog.ts';

let authorities: ReturnType<typeof makeAuthorities>;
let ours: Authority;
let others: Authority;
let server: Certificate;
beforeAll(() => {
  authorities = makeAuthorities();
  ours = authorities.authority();
  others = authorities.authority();
  server = ours.sign();
});
afterAll(() => authorities.remove());

const table = { namespace: ['analytics'], name: 'orders' };
const commit = { requirements: [], updates: [] };

/** A catalog behind TLS; tells which names and certificates its clients came with. */
async function tlsCatalog(options: ServerOptions) {
  const clients: { readonly servername: string | false; readonly certificate: string | undefined }[] = [];
  const service = createServer(options, (request, response) => {
    const socket = request.socket as TLSSocket;
    const { subject } = socket.getPeerCertificate();
    clients.push({ servername: socket.servername ?? false, certificate: subject?.CN as string | undefined });
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(request.url?.includes('/v1/config') ? {} : loadedTable));
  });
  service.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    service.close();
    service.closeAllConnections();
  });
  return { uri: `https://localhost:${(service.address() as AddressInfo).port}`, clients };
}

function catalogAt(catalog_uri: string, settings: Partial<RestCatalogSettings>) {
  return restCatalog(
    { catalog_uri, retry: { initial_ms: 1, max_ms: 1, jitter: 0 }, ...settings },
    { clock: { now: () => 0 }, timers: { sleep: async () => undefined }, random: seededRandom() },
  );
}

describe('the certificate of the catalog', () => {
  test('is trusted when catalog_ca_file signed it, and the platform is not asked (F9)', async () => {
    const { uri, clients } = await tlsCatalog(server);
    expect(await catalogAt(uri, { catalog_ca_file: ours.cert }).load(table)).toBeDefined();
    expect(clients).toHaveLength(2);
  });

  test.each([
    ['signed by nobody known', () => ({}), 'catalog_ca_file'],
    ['signed by another CA', () => ({ catalog_ca_file: others.cert }), 'catalog_ca_file'],
  ] as const)('%s is config.invalid and names the way out', async (_, settings, wayOut) => {
    const { uri, clients } = await tlsCatalog(server);
    await expect(catalogAt(uri, settings()).load(table)).rejects.toMatchObject({
      code: 'config.invalid',
      message: expect.stringMatching(new RegExp(`UNABLE_TO_VERIFY_LEAF_SIGNATURE.*${wayOut}`)),
    });
    expect(clients).toHaveLength(0);
  });

  test('that has expired is config.invalid and says so', async () => {
    const { uri } = await tlsCatalog(ours.sign({ expired: true }));
    await expect(catalogAt(uri, { catalog_ca_file: ours.cert }).load(table)).rejects.toMatchObject({
      code: 'config.invalid',
      message: expect.stringMatching(/not valid at this time: CERT_HAS_EXPIRED.*renew it/),
    });
  });

  test('for another name is config.invalid, unless catalog_server_name is that name', async () => {
    const { uri, clients } = await tlsCatalog(ours.sign({ names: 'DNS:catalog.internal' }));
    await expect(catalogAt(uri, { catalog_ca_file: ours.cert }).load(table)).rejects.toMatchObject({
      code: 'config.invalid',
      message: expect.stringMatching(/ERR_TLS_CERT_ALTNAME_INVALID.*catalog_server_name/),
    });
    const named = { catalog_ca_file: ours.cert, catalog_server_name: 'catalog.internal' };
    expect(await catalogAt(uri, named).load(table)).toBeDefined();
    expect(clients.map(({ servername }) => servername)).toStrictEqual([
      'catalog.internal',
      'catalog.internal',
    ]);
  });

  test('is none where a server speaks no TLS: config.invalid', async () => {
    const plain = createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    });
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      plain.close();
    });
    const uri = `https://localhost:${(plain.address() as AddressInfo).port}`;
    await expect(catalogAt(uri, {}).load(table)).rejects.toMatchObject({
      code: 'config.invalid',
      message: expect.stringMatching(/speaks no TLS: ERR_SSL_WRONG_VERSION_NUMBER/),
    });
  });
});

describe('serverCertificate', () => {
  const look = (catalog_uri: string, settings: Partial<RestCatalogSettings>) =>
    serverCertificate({ catalog_uri, retry: { initial_ms: 1, max_ms: 1, jitter: 0 }, ...settings });

  test('tells who signed the certificate and how long it is valid, and asks for nothing', async () => {
    const { uri, clients } = await tlsCatalog(server);
    const shown = await look(uri, { catalog_ca_file: ours.cert });
    expect(shown).toMatchObject({ protocol: 'TLSv1.3' });
    expect(`${shown.subject}, ${shown.issuer}`).toMatch(/^\S.*, \S/);
    expect(shown.validToMs).toBeGreaterThan(Date.now());
    expect(clients).toHaveLength(0);
  });

  test.each([
    ['untrusted', () => server, () => ({ catalog_ca_file: others.cert }), /not trusted.*catalog_ca_file/],
    [
      'expired',
      () => ours.sign({ expired: true }),
      () => ({ catalog_ca_file: ours.cert }),
      /CERT_HAS_EXPIRED/,
    ],
    [
      'of another name',
      () => ours.sign({ names: 'DNS:catalog.internal' }),
      () => ({ catalog_ca_file: ours.cert }),
      /catalog_server_name/,
    ],
  ] as const)('that is %s is config.invalid', async (_, shown, settings, message) => {
    const { uri } = await tlsCatalog(shown());
    await expect(look(uri, settings())).rejects.toMatchObject({
      code: 'config.invalid',
      message: expect.stringMatching(message),
    });
  });
});

describe('a client certificate', () => {
  const wanting = () => ({ ...server, ca: ours.cert, requestCert: true, rejectUnauthorized: true });

  test('is sent with every connection', async () => {
    const { uri, clients } = await tlsCatalog(wanting());
    const { cert, key } = ours.sign({ client: true });
    const catalog = catalogAt(uri, {
      catalog_ca_file: ours.cert,
      catalog_client_cert: cert,
      catalog_client_key: key,
    });
    expect(await catalog.commit(table, commit)).toMatchObject({ outcome: 'landed' });
    expect(clients.every(({ certificate }) => certificate?.startsWith('certificate-'))).toBe(true);
  });

  test('of another CA never ends as an unknown commit: the configuration is asked for first (TLS 1.3)', async () => {
    const { uri, clients } = await tlsCatalog(wanting());
    const { cert, key } = others.sign({ client: true });
    const catalog = catalogAt(uri, {
      catalog_ca_file: ours.cert,
      catalog_client_cert: cert,
      catalog_client_key: key,
    });
    await expect(catalog.commit(table, commit)).rejects.toMatchObject({
      code: 'catalog.unavailable',
      message: expect.stringMatching(/if it wants a client certificate, set catalog_client_cert/),
    });
    expect(clients).toHaveLength(0);
  });
});
