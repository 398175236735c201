import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Authority, type Certificate, makeAuthorities } from '../../fakes/certificates.ts';
import { freePorts } from '../services/free-ports.ts';
import { startHostProcess } from '../services/host-process.ts';
import { installedFolder } from '../services/services.ts';

/** Addresses of one catalog behind Caddy, each with another way in; all of them speak TLS with a private CA's certificate. */
export interface Fronts {
  /** Only the private CA keeps people out. */
  readonly tls: string;
  /** Takes the bearer token `demo-token`. */
  readonly bearer: string;
  /** Takes what the fixture's own token endpoint gives the client `registrar`. */
  readonly oauth2: string;
  /** Takes client certificates of the private CA. */
  readonly clientCertificate: string;
  readonly ca: Authority;
  readonly otherCa: Authority;
  readonly client: Certificate;
  readonly stranger: Certificate;
  close(): Promise<void>;
}

/** Starts Caddy in front of a catalog. */
export async function startFronts(catalogUri: string): Promise<Fronts> {
  await promisify(execFile)(join(import.meta.dirname, '../../../.ci/setup'), ['caddy']);
  const folder = mkdtempSync(join(tmpdir(), 'iceberg-registrar-caddy-'));
  const logs = join(installedFolder, 'logs');
  mkdirSync(logs, { recursive: true });
  const authorities = makeAuthorities();
  const ca = authorities.authority();
  const otherCa = authorities.authority();
  const [tls, bearer, oauth2, clientCertificate, ready] = await freePorts(5);
  const caddyfile = caddyConfig(catalogUri, ca, ca.sign(), { tls, bearer, oauth2, clientCertificate, ready });
  writeFileSync(join(folder, 'Caddyfile'), caddyfile);
  const running = await startHostProcess(
    { installed: installedFolder, logs, scratch: folder },
    {
      name: 'caddy',
      command: join(installedFolder, 'caddy/bin/caddy'),
      args: ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile'],
      env: { XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder },
      ready: async () => (await fetch(`http://127.0.0.1:${ready}/`)).ok,
    },
  );
  return {
    tls: `https://localhost:${tls}`,
    bearer: `https://localhost:${bearer}`,
    oauth2: `https://localhost:${oauth2}`,
    clientCertificate: `https://localhost:${clientCertificate}`,
    ca,
    otherCa,
    client: ca.sign({ client: true }),
    stranger: otherCa.sign({ client: true }),
    async close() {
      await running.stop();
      authorities.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function caddyConfig(
  catalogUri: string,
  ca: Certificate,
  server: Certificate,
  ports: Readonly<Record<'tls' | 'bearer' | 'oauth2' | 'clientCertificate' | 'ready', number | undefined>>,
): string {
  const site = (port: number | undefined, inside: string, tlsBlock = '') => `
https://localhost:${port} {
  bind 127.0.0.1
  tls ${server.certFile} ${server.keyFile} ${tlsBlock}
  ${inside}
}`;
  const proxy = `reverse_proxy ${new URL(catalogUri).host}`;
  const guarded = (matcher: string) => `
  @refused {
    ${matcher}
  }
  handle @refused {
    header Content-Type application/json
    respond \`{"error":{"message":"bad token","type":"NotAuthorizedException","code":401}}\` 401
  }
  handle {
    ${proxy}
  }`;
  return `{
  admin off
  auto_https off
  persist_config off
}
http://127.0.0.1:${ports.ready} {
  bind 127.0.0.1
  respond "ready"
}
${site(ports.tls, proxy)}
${site(ports.bearer, guarded('not header Authorization "Bearer demo-token"'))}
${site(
  ports.oauth2,
  guarded(
    'not path /v1/oauth/tokens\n    not header Authorization "Bearer client-credentials-token:sub=registrar"',
  ),
)}
${site(
  ports.clientCertificate,
  proxy,
  `{
    client_auth {
      mode require_and_verify
      trust_pool file ${ca.certFile}
    }
  }`,
)}
`;
}
