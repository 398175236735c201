import { connect, createServer, type Socket } from 'node:net';
import { freePort } from '../../../test/integration/services/free-ports.ts';

export interface DelayingProxy {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * What a client sends arrives so much later; answers come back at once, connections are opened at once. A request of any size, and
 * each exchange inside one, costs the delay once, as a round trip does.
 */
export async function startDelayingProxy(target: string, delayMs: number): Promise<DelayingProxy> {
  const { hostname, port: targetPort } = new URL(target);
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (client) => {
    const service = connect({ host: hostname, port: Number(targetPort), noDelay: true });
    for (const [socket, other] of [
      [client, service],
      [service, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    service.pipe(client);
    client.on('data', (chunk) => {
      setTimeout(() => service.write(chunk), delayMs);
    });
  });
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
