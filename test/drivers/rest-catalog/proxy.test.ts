import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { httpSender, type ProxySettings } from '../../../lib/drivers/http.ts';
import { json, scriptedServer } from '../../fakes/http.ts';

/** A proxy that tunnels to wherever it is asked, or refuses; it keeps what it was sent in the clear. */
async function proxy({ refuse = false } = {}) {
  const seen: { readonly line: string; readonly headers: IncomingMessage['headers'] }[] = [];
  const sockets = new Set<Duplex>();
  const server = createServer((request, response) => {
    seen.push({ line: `${request.method} ${request.url}`, headers: request.headers });
    response.end('{"by":"proxy"}');
  });
  server.on('connect', (request, socket: Duplex, head) => {
    seen.push({ line: `CONNECT ${request.url}`, headers: request.headers });
    sockets.add(socket);
    socket.on('error', () => undefined);
    if (refuse) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    const [host, port] = (request.url ?? '').split(':');
    const onward = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.write(head);
      onward.pipe(socket).pipe(onward);
    });
    onward.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://user:proxy-password@127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

async function catalog() {
  const server = await scriptedServer(() => json(200, { by: 'catalog' }));
  onTestFinished(server.close);
  return server;
}

const get = (origin: string) => ({
  method: 'GET' as const,
  origin,
  path: '/v1/config',
  headers: { authorization: 'Bearer catalog-token' },
});

const through = (url: string, except = ''): ProxySettings => ({ https: url, http: url, except });

test('httpSender goes through the proxy of the environment', async () => {
  const { url, seen } = await proxy();
  const server = await catalog();
  const send = httpSender({ proxies: through(url) });
  expect(await send(get(server.url))).toMatchObject({ kind: 'answer', status: 200 });
  expect(seen).toMatchObject([
    { headers: { 'proxy-authorization': `Basic ${Buffer.from('user:proxy-password').toString('base64')}` } },
  ]);
});

test('httpSender sends a proxy that only tunnels TLS no header of the catalog (I10)', async () => {
  const { url, seen } = await proxy({ refuse: true });
  const send = httpSender({ proxies: through(url) });
  const refused = await send(get('https://catalog.example'));
  expect(refused.kind).toBe('unsent');
  expect(seen.map(({ line }) => line)).toStrictEqual(['CONNECT catalog.example:443']);
  expect(JSON.stringify(seen)).not.toContain('catalog-token');
  expect(refused.kind === 'unsent' && refused.cause.message).not.toContain('proxy-password');
});

test.each(['127.0.0.1', 'elsewhere.example,127.0.0.1', '*'])(
  'httpSender goes past the proxy to what NO_PROXY "%s" names (F11)',
  async (except) => {
    const { url, seen } = await proxy();
    const server = await catalog();
    const send = httpSender({ proxies: through(url, except) });
    expect(await send(get(server.url))).toMatchObject({ body: Buffer.from('{"by":"catalog"}') });
    expect(seen).toStrictEqual([]);
  },
);

test('a proxy that is no URL is config.invalid, and is not shown', async () => {
  const send = httpSender({ proxies: through('user:proxy-password') });
  await expect(send(get('https://catalog.example'))).rejects.toMatchObject({
    code: 'config.invalid',
    message: 'Cannot use HTTPS_PROXY: it must be an http:// or https:// URL',
  });
});

test('a redirect is not followed, so no credential crosses to another origin (F10)', async () => {
  const elsewhere = await catalog();
  const server = await scriptedServer(() => ({
    status: 307,
    headers: { location: `${elsewhere.url}/v1/config` },
  }));
  onTestFinished(server.close);
  expect(await httpSender()(get(server.url))).toMatchObject({ status: 307 });
  expect(elsewhere.requests).toStrictEqual([]);
});
