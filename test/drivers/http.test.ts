import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep, setImmediate as untilPolled } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { earlySockets } from '../../lib/drivers/early-sockets.ts';
import { httpSender } from '../../lib/drivers/http.ts';
import { systemClock } from '../../lib/drivers/platform.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

/** A server of bytes: `onRequest` gets each request's text once its head is complete. */
async function rawServer(onRequest: (socket: Socket, text: string) => void) {
  const connections = new Set<Socket>();
  const requests: string[] = [];
  const server = createServer((socket) => {
    connections.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      requests.push(data.toString());
      onRequest(socket, data.toString());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(
    () =>
      new Promise((resolve) => {
        for (const socket of connections) socket.destroy();
        server.close(() => resolve());
      }),
  );
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, requests, connections };
}

const post = (origin: string) => ({
  method: 'POST' as const,
  origin,
  path: '/v1/namespaces/a%1Fb/tables/t%2F1',
  headers: { 'content-type': 'application/json' },
  body: '{"a":1}',
});

test('httpSender answers status, headers and body, over one kept connection', async () => {
  const { origin, requests, connections } = await rawServer((socket) => {
    socket.write('HTTP/1.1 409 Conflict\r\nRetry-After: 3\r\nContent-Length: 4\r\n\r\nbusy');
  });
  const send = httpSender();
  for (let round = 0; round < 3; round += 1) {
    const answer = await send(post(origin));
    expect(answer).toMatchObject({
      kind: 'answer',
      status: 409,
      headers: { 'retry-after': '3' },
      body: Buffer.from('busy'),
    });
  }
  expect(connections.size).toBe(1);
  expect(requests[0]).toMatch(/^POST \/v1\/namespaces\/a%1Fb\/tables\/t%2F1 HTTP\/1\.1\r\n/);
});

test('httpSender connects anew after a freeze, in which timers stand still and load balancers drop connections', async () => {
  const { origin, connections } = await rawServer((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
  });
  let nowMs = 0;
  const send = httpSender({ clock: { now: () => nowMs }, keepAliveMs: 4_000 });
  await send(post(origin));
  nowMs += 3_999;
  await send(post(origin));
  expect(connections.size).toBe(1);
  nowMs += 600_000;
  expect(await send(post(origin))).toMatchObject({ kind: 'answer', status: 200 });
  await send(post(origin));
  expect(connections.size).toBe(2);
});

test('httpSender leaves a request alone whose answer is late when another follows it', async () => {
  const waiting: Socket[] = [];
  const { origin } = await rawServer((socket) => {
    waiting.push(socket);
    if (waiting.length < 2) return;
    for (const one of waiting) one.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
  });
  let nowMs = 0;
  const send = httpSender({ clock: { now: () => nowMs }, keepAliveMs: 4_000 });
  const slow = send(post(origin));
  while (waiting.length === 0) await untilPolled();
  nowMs += 10_000;
  expect(await send(post(origin))).toMatchObject({ kind: 'answer' });
  expect(await slow).toMatchObject({ kind: 'answer' });
});

test('httpSender to a port where nobody listens has sent nothing', async () => {
  const { origin } = await rawServer(() => undefined);
  await Promise.all(closing.splice(0).map((close) => close()));
  expect(await httpSender()(post(origin))).toMatchObject({ kind: 'unsent', cause: { code: 'ECONNREFUSED' } });
});

test('httpSender to a host that has no address has sent nothing', async () => {
  expect(await httpSender()(post('http://catalog.invalid'))).toMatchObject({ kind: 'unsent' });
});

test.each([
  ['resets the connection', (socket: Socket) => socket.resetAndDestroy()],
  ['closes the connection', (socket: Socket) => socket.end()],
  ['answers half a head', (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\nContent-')],
  ['answers half a body', (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"a"')],
  ['answers no HTTP', (socket: Socket) => socket.end('SSH-2.0-OpenSSH\r\n')],
])('httpSender to a server that %s has lost the answer, and sends nothing again (D3)', async (_, act) => {
  const { origin, requests } = await rawServer((socket) => act(socket));
  expect(await httpSender()(post(origin))).toMatchObject({ kind: 'lost' });
  expect(requests).toHaveLength(1);
});

test('httpSender to a server that never answers gives up, and sends nothing again (D3)', async () => {
  const { origin, requests } = await rawServer(() => undefined);
  const answer = await httpSender({ timeoutMs: 100 })(post(origin));
  expect(answer).toMatchObject({ kind: 'lost', cause: { code: 'UND_ERR_HEADERS_TIMEOUT' } });
  expect(requests).toHaveLength(1);
});

test('httpSender on a kept connection that the server has closed loses one answer and sends nothing twice (D3)', async () => {
  let closesNext = false;
  const { origin, requests } = await rawServer((socket) => {
    if (closesNext) socket.destroy();
    else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}');
    closesNext = !closesNext;
  });
  const send = httpSender();
  expect(await send(post(origin))).toMatchObject({ kind: 'answer' });
  expect(await send(post(origin))).toMatchObject({ kind: 'lost' });
  expect(await send(post(origin))).toMatchObject({ kind: 'answer' });
  expect(requests).toHaveLength(3);
});

test('httpSender follows no redirect', async () => {
  const { origin, requests } = await rawServer((socket) => {
    socket.write('HTTP/1.1 307 Temporary Redirect\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n');
  });
  expect(await httpSender()(post(origin))).toMatchObject({ kind: 'answer', status: 307 });
  expect(requests).toHaveLength(1);
});

test('httpSender takes no answer that is larger than it may be, however small its parts', async () => {
  const endless = await rawServer((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
    const more = () => socket.write(`400\r\n${'x'.repeat(1024)}\r\n`, (error) => error ?? setImmediate(more));
    more();
  });
  const exchange = await httpSender({ maxAnswerBytes: 10_000 })(post(endless.origin));
  expect(exchange).toMatchObject({
    kind: 'lost',
    cause: { message: 'the answer is larger than 10000 bytes' },
  });
});

test('httpSender takes the connection that was opened before there was a request', async () => {
  const { origin, connections } = await rawServer((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}');
  });
  const early = earlySockets(systemClock);
  early.open(origin);
  early.open(origin);
  await expect.poll(() => connections.size).toBe(1);
  const send = httpSender({ early });
  for (let round = 0; round < 2; round += 1) expect(await send(post(origin))).toMatchObject({ status: 200 });
  expect(connections.size).toBe(1);
});

test.each(['opened too long ago', 'closed by the server since'])(
  'httpSender connects anew where the early connection was %s',
  async (why) => {
    const { origin, connections } = await rawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}');
    });
    let nowMs = 0;
    const early = earlySockets({ now: () => nowMs });
    early.open(origin);
    await expect.poll(() => connections.size).toBe(1);
    const [first] = connections;
    const closed = new Promise((resolve) => first?.once('close', resolve));
    if (why.startsWith('closed')) {
      first?.destroy();
      await closed;
      await sleep(20);
      // A late timer comes before the events that wait; an immediate comes after them.
      await untilPolled();
    } else nowMs = 10_000;
    expect(await httpSender({ early })(post(origin))).toMatchObject({ status: 200 });
    expect(connections.size).toBe(2);
  },
);

test('httpSender connects by itself where the early connection came to nothing', async () => {
  const early = earlySockets(systemClock);
  early.open('http://127.0.0.1:1');
  const answer = await httpSender({ early })(post('http://127.0.0.1:1'));
  expect(answer).toMatchObject({ kind: 'unsent', cause: { code: 'ECONNREFUSED' } });
});
