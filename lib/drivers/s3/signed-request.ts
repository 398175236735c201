import { SignatureV4 } from '@smithy/signature-v4';
import type { HttpRequest } from '../http.ts';
import { Sha256 } from '../sha256.ts';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** Credentials, region and clock for a signature. */
export interface Signing {
  readonly service: string;
  readonly region: string;
  readonly credentials: AwsCredentials;
  readonly nowMs: number;
}

/**
 * Signs a request with AWS Signature Version 4 over its unchanged path, its headers and its body. Smithy's signer caches the derived keys,
 * which change once per day.
 *
 * @param origin the parsed origin of the request
 */
export async function signedRequest(
  request: HttpRequest,
  origin: Pick<URL, 'protocol' | 'hostname' | 'host'>,
  { service, region, credentials, nowMs }: Signing,
): Promise<HttpRequest> {
  const { protocol, hostname, host } = origin;
  const signer = new SignatureV4({ service, region, credentials, sha256: Sha256, uriEscapePath: false });
  const signed = await signer.sign(
    { ...request, protocol, hostname, query: {}, headers: { ...request.headers, host } },
    { signingDate: new Date(nowMs) },
  );
  const { host: _sentAnyway, ...headers } = signed.headers;
  return { ...request, headers };
}
