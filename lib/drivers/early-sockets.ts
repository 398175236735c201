import type { Socket } from 'node:net';
import buildConnector from 'undici/lib/core/connect.js';
import type { Clock } from '../ports.ts';

/** Connections that are opened before there is a request for them: a function's start has time for the handshake, its first segment has not. */
export interface EarlySockets {
  /** Begins to connect. One that fails is nobody's loss: the request connects by itself then. */
  open(origin: string): void;
  /** The connection to an origin, once; undefined where none was opened, or too long ago. */
  take(origin: string): Promise<Socket | undefined> | undefined;
}

/** Servers close what says nothing; a container may be started long before it is used. */
const USABLE_MS = 3_000;

export function earlySockets(clock: Clock): EarlySockets {
  const connect = buildConnector({ timeout: USABLE_MS, allowH2: false });
  const opened = new Map<string, { readonly socket: Promise<Socket | undefined>; readonly atMs: number }>();
  return {
    open(origin) {
      if (opened.has(origin)) return;
      const { protocol, hostname, host, port } = new URL(origin);
      const socket = new Promise<Socket | undefined>((resolve) => {
        connect({ protocol, hostname, host, port }, (_error, connected) => {
          // Nobody waits for it, and nobody may ever come.
          connected?.unref().on('error', () => undefined);
          resolve(connected ?? undefined);
        });
      });
      opened.set(origin, { socket, atMs: clock.now() });
    },
    take(origin) {
      const early = opened.get(origin);
      opened.delete(origin);
      if (early === undefined) return undefined;
      const isOld = clock.now() - early.atMs > USABLE_MS;
      return early.socket.then((socket) => {
        if (socket === undefined || isOld || socket.readyState !== 'open') {
          socket?.destroy();
          return undefined;
        }
        return socket.ref();
      });
    },
  };
}
