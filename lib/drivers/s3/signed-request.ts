import { SignatureV4 } from '@smithy/signature-v4';
import { keepLast } from '../../spec/keep-last.ts';
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
 */
export async function signedRequest(
  request: HttpRequest,
  { service, region, credentials, nowMs }: Signing,
): Promise<HttpRequest> {
  const { protocol, hostname, host } = partsOf(request.origin);
  const signer = new SignatureV4({ service, region, credentials, sha256: Sha256, uriEscapePath: false });
  const signed = await signer.sign(
    { ...request, protocol, hostname, query: {}, headers: { ...request.headers, host } },
    { signingDate: new Date(nowMs) },
  );
  const { host: _sentAnyway, ...headers } = signed.headers;
  return { ...request, headers };
}

interface OriginParts {
  readonly protocol: string;
  readonly hostname: string;
  readonly host: string;
}

/** Of the last few origins: a store has one a bucket. */
const knownParts = new Map<string, OriginParts>();
const MOST_ORIGINS = 32;

function partsOf(origin: string): OriginParts {
  const known = knownParts.get(origin);
  if (known !== undefined) return known;
  const { protocol, hostname, host } = new URL(origin);
  const parts = { protocol, hostname, host };
  keepLast(knownParts, origin, parts, MOST_ORIGINS);
  return parts;
}
