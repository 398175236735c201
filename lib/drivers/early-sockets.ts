import type { Socket } from 'node:net';
import buildConnector from 'undici/lib/core/connect.js';
import type { Clock } from '../ports.ts';

/** Connections that are opened before there is a request, so that the handshake happens during the function's initialisation. */
export interface EarlySockets {
  /** Starts connecting. A failure is ignored, since the request will then connect by itself. */
  open(origin: string): void;
  /** Returns each connection to an origin once; undefined if none was opened, or too long ago. */
  take(origin: string): Promise<Socket | undefined> | undefined;
}

/** Servers close silent connections, and a container may be started long before it is used. */
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
          // An unused connection must not keep the process alive.
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
