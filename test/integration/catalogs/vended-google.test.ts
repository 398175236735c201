import { randomUUID } from 'node:crypto';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import tls from 'node:tls';
import { expect, onTestFinished, test, vi } from 'vitest';
import { register } from '../../../lib/jobs/register/register.ts';
import { wire } from '../../../lib/wire.ts';
import { startHttpService } from '../../../local/http-service.ts';
import { orders } from '../../../local/shipper/orders.ts';
import { makeSegment } from '../../../local/shipper/segment.ts';
import { makeAuthorities } from '../../fakes/certificates.ts';
import { startMetadataServer } from '../../fakes/google-metadata.ts';
import { memoryLog } from '../../fakes/log.ts';
import { storageOf } from '../google/emulated.ts';
import { describeWith } from '../services/describe-with.ts';

const HOUR_MS = 60 * 60_000;

describeWith('a catalog that hands out tokens for Cloud Storage', ['google'], ({ google }) => {
  test('has manifests written and read with them, renewed before they end, and segments with one’s own', async () => {
    const storage = await storageBehindTls(google.storageEndpoint);
    const catalog = await vendingCatalog(google.catalogUri, google.bucket);
    const metadata = await startMetadataServer('own-token');
    onTestFinished(metadata.close);
    for (const [name, value] of Object.entries(metadata.environment)) vi.stubEnv(name, value);
    onTestFinished(() => void vi.unstubAllEnvs());

    const id = `vended-${randomUUID().slice(0, 8)}`;
    const registrar = async () => ({
      ...(await wire({
        REGISTRAR_CONFIG: JSON.stringify({
          url: `gs://${google.bucket}/${id}`,
          layout: '{url}/{dataset}/…',
          catalog_uri: catalog.url,
          namespace: id,
          create_table: true,
          access_delegation: 'vended-credentials',
          store: { endpoint: storage.url },
        }),
      })),
      log: memoryLog(),
    });
    const ship = async (index: number, ports: Awaited<ReturnType<typeof registrar>>) => {
      const key = `${id}/orders/${index}.parquet`;
      await storageOf(google).write(`gs://${google.bucket}/${key}`, makeSegment(orders, 0, index).bytes);
      const { outcomes } = await register(
        [{ scheme: 'gs', bucket: google.bucket, key }],
        ports,
        () => HOUR_MS,
      );
      expect(outcomes).toMatchObject([{ kind: 'committed' }]);
    };
    const warm = await registrar();
    await ship(0, warm);
    await ship(1, warm);
    await ship(2, await registrar());

    const bearers = (pattern: RegExp) =>
      new Set(storage.requests.filter((line) => pattern.test(line)).map((line) => line.split(' ').at(-1)));
    expect(bearers(/GET .*\.parquet/)).toStrictEqual(new Set(['own-token-1']));
    // Each load brings another; the first was about to end when it came.
    const manifests = bearers(/\.avro/);
    expect(manifests.size).toBeGreaterThan(1);
    for (const bearer of manifests) expect(bearer).toMatch(/^vended-token-(?!1$)\d+$/);
  });
});

/** The emulator behind TLS: a token is sent to nothing else. Tells what was asked of it, with which token. */
async function storageBehindTls(endpoint: string) {
  const authorities = makeAuthorities();
  onTestFinished(authorities.remove);
  const authority = authorities.authority();
  const trusted = tls.getCACertificates('default');
  tls.setDefaultCACertificates([...trusted, authority.cert]);
  onTestFinished(() => tls.setDefaultCACertificates(trusted));
  const requests: string[] = [];
  const service = createServer(authority.sign(), async (request, response) => {
    const { method = '', url = '', headers } = request;
    requests.push(`${method} ${url} ${headers.authorization?.replace('Bearer ', '')}`);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { range } = headers;
    const answer = await fetch(`${endpoint}${url}`, {
      method,
      headers: { 'accept-encoding': 'gzip', ...(range !== undefined && { range }) },
      ...(method !== 'GET' && { body: Buffer.concat(chunks) }),
    });
    const {
      'content-encoding': _,
      'transfer-encoding': __,
      connection: ___,
      ...answered
    } = Object.fromEntries(answer.headers);
    response.writeHead(answer.status, answered).end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    service.close();
    service.closeAllConnections();
  });
  return { url: `https://localhost:${(service.address() as AddressInfo).port}`, requests };
}

/** The catalog, with a token for the bucket in each answer that loads a table; the first is about to end. */
async function vendingCatalog(catalogUri: string, bucket: string) {
  let tokens = 0;
  const service = await startHttpService(async ({ method, path, query, body }) => {
    const answer = await fetch(`${catalogUri}${path}${query.size > 0 ? `?${query}` : ''}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body.length > 0 && { body }),
    });
    const text = await answer.text();
    const loads = answer.ok && (method === 'GET' ? /\/tables\/[^/]+$/ : /\/(register|tables)$/).test(path);
    tokens += loads ? 1 : 0;
    const config = {
      'gcs.oauth2.token': `vended-token-${tokens}`,
      'gcs.oauth2.token-expires-at': String(Date.now() + (tokens === 1 ? 60_000 : HOUR_MS)),
    };
    const credentials = JSON.stringify([{ prefix: `gs://${bucket}/`, config }]);
    return {
      status: answer.status,
      headers: { 'content-type': 'application/json' },
      body: loads ? text.replace(/}\s*$/, `,"storage-credentials":${credentials}}`) : text,
    };
  });
  onTestFinished(service.close);
  return service;
}
