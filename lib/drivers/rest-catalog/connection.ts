import type { Entry } from '../../config/entry.ts';
import { once } from '../../memo.ts';
import { withoutEndSlashes } from '../../spec/object-uri.ts';
import { httpSender, type ProxySettings, type SendHttp, type TlsSettings } from '../http.ts';
import { type Authorization, staticToken } from './authorization.ts';
import { clientCredentials } from './oauth2.ts';
import type { RepeatingPorts, RetrySettings } from './repeating.ts';

export type ConnectionSettings = RetrySettings &
  Pick<
    Entry,
    | 'catalog_uri'
    | 'catalog_token'
    | 'catalog_headers'
    | 'catalog_credential'
    | 'catalog_sigv4'
    | 'catalog_google'
    | 'catalog_ca_file'
    | 'catalog_client_cert'
    | 'catalog_client_key'
    | 'catalog_server_name'
  >;

export interface ConnectionPorts extends RepeatingPorts {
  /** @default undici with its own connections, and TLS as configured */
  readonly send?: SendHttp;
  /** @default as configured */
  readonly authorization?: Authorization;
  /** @default none */
  readonly proxies?: ProxySettings | undefined;
}

/** The transport and authentication for a catalog. Nothing is sent yet. */
export function connectTo(
  base: URL,
  settings: ConnectionSettings,
  ports: ConnectionPorts,
): { readonly send: SendHttp; readonly authorization: Authorization } {
  const send = ports.send ?? httpSender({ tls: tlsOf(settings), proxies: ports.proxies });
  return { send, authorization: ports.authorization ?? authorizationOf(settings, base, send, ports) };
}

export function tlsOf(settings: ConnectionSettings): TlsSettings {
  return {
    ca: settings.catalog_ca_file,
    cert: settings.catalog_client_cert,
    key: settings.catalog_client_key,
    servername: settings.catalog_server_name,
  };
}

function authorizationOf(
  settings: ConnectionSettings,
  base: URL,
  send: SendHttp,
  ports: ConnectionPorts,
): Authorization {
  const { catalog_credential: credential, catalog_sigv4: sigv4, catalog_token: token } = settings;
  if (credential !== undefined) {
    const own = `${withoutEndSlashes(base.href)}/v1/oauth/tokens`;
    const tokenEndpoint = credential.oauth2_server_uri ?? own;
    const sameServer = new URL(tokenEndpoint).origin === base.origin;
    // The token endpoint is another server with another name, but usually behind the same CA.
    const elsewhere = () =>
      ports.send ??
      httpSender({ tls: { ...tlsOf(settings), servername: undefined }, proxies: ports.proxies });
    const headers = sameServer ? settings.catalog_headers : undefined;
    return clientCredentials(
      { credential, tokenEndpoint, headers, retry: settings.retry },
      { ...ports, send: sameServer ? send : elsewhere() },
    );
  }
  if (sigv4 !== undefined) {
    return loadedWhenAsked(async () =>
      (await import('../aws-signature.ts')).awsSignature(sigv4, ports.clock),
    );
  }
  if (settings.catalog_google) {
    return loadedWhenAsked(async () => (await import('./google-account.ts')).googleAccount());
  }
  return staticToken(token);
}

/** Loads a way to authenticate when it is used, so that other configurations do not pay for it at a cold start. */
function loadedWhenAsked(load: () => Promise<Authorization>): Authorization {
  const loaded = once(load);
  return {
    authorize: async (request) => (await loaded()).authorize(request),
    renew: async (refused) => (await loaded()).renew(refused),
  };
}
