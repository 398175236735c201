import { isIP } from 'node:net';
import { connect } from 'node:tls';
import type { ServerCertificate } from '../../ports/setup.ts';
import { sendingError } from './client.ts';
import { type ConnectionSettings, tlsOf } from './connection.ts';

const TIMEOUT_MS = 5_000;

/**
 * The certificate of the catalog, checked as for every request, without sending one. The connection goes directly to the host, not through a
 * proxy.
 *
 * @throws `config.invalid` for an untrusted certificate, `catalog.unavailable`
 */
export function serverCertificate(settings: ConnectionSettings): Promise<ServerCertificate> {
  const { hostname, port } = new URL(settings.catalog_uri);
  const host = hostname.replaceAll(/[[\]]/g, '');
  const { servername = isIP(host) === 0 ? host : undefined, ...tls } = tlsOf(settings);
  return new Promise((resolve, reject) => {
    const socket = connect({
      host,
      port: Number(port || 443),
      ...Object.fromEntries(
        Object.entries({ ...tls, servername }).filter(([, value]) => value !== undefined),
      ),
      timeout: TIMEOUT_MS,
    });
    socket.once('secureConnect', () => {
      const { subject, issuer, valid_to } = socket.getPeerCertificate();
      const protocol = socket.getProtocol() ?? '';
      socket.destroy();
      resolve({
        protocol,
        subject: nameIn(subject),
        issuer: nameIn(issuer),
        validToMs: Date.parse(valid_to),
      });
    });
    socket.once('timeout', () => socket.destroy(new Error(`no answer within ${TIMEOUT_MS} ms`)));
    socket.once('error', (cause) => {
      reject(sendingError(`Cannot look at the certificate of "${hostname}"`, { kind: 'unsent', cause }));
    });
  });
}

function nameIn({ CN = '', O = '' }: { readonly CN?: string | string[]; readonly O?: string | string[] }) {
  return [CN, O].flat().find((name) => name !== '') ?? '';
}
