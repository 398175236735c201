import { SignatureV4 } from '@smithy/signature-v4';
import type { HttpRequest } from '../http.ts';
import { Sha256 } from '../sha256.ts';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** What a request is signed with. */
export interface Signing {
  readonly service: string;
  readonly region: string;
  readonly credentials: AwsCredentials;
  readonly nowMs: number;
}

/**
 * The request with AWS's Signature Version 4 over its path as it is, its headers and its body. Keys are derived once a day: Smithy's signer
 * keeps them.
 *
 * @param origin the request's, parsed
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
