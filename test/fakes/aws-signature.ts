import { createHash, createHmac } from 'node:crypto';

/** A request as it arrived. */
export interface SignedRequest {
  readonly method: string;
  /** As it was sent, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string | Uint8Array;
}

export interface SigningKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
  readonly service: string;
  /** S3 takes the path as it was sent; every other service encodes it once more. */
  readonly pathAsSent?: boolean;
}

/**
 * What is wrong with a request's Signature Version 4; undefined when it is right. Written after AWS's document ("Create a signed AWS API
 * request") and apart from the library that the driver signs with, so that one checks the other.
 */
export function signatureProblem(request: SignedRequest, key: SigningKey): string | undefined {
  const authorization =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      request.headers['authorization'] ?? '',
    );
  if (authorization === null) return 'the request is not signed';
  const [, accessKeyId, date = '', region, service, signedHeaders = '', signature] = authorization;
  if (accessKeyId !== key.accessKeyId) return `unknown access key ${accessKeyId}`;
  if (region !== key.region) return `signed for region ${region}, not ${key.region}`;
  if (service !== key.service) return `signed for service ${service}, not ${key.service}`;
  const names = signedHeaders.split(';');
  for (const needed of ['host', 'x-amz-date']) if (!names.includes(needed)) return `${needed} is not signed`;
  const bodyHash = sha256(request.body);
  if ((request.headers['x-amz-content-sha256'] ?? bodyHash) !== bodyHash) return 'the body has another hash';

  const time = request.headers['x-amz-date'] ?? '';
  const canonical = canonicalRequest(request, names, bodyHash, key.pathAsSent);
  const scope = `${date}/${region}/${service}/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n');
  const expected = hmac(
    [date, region, service, 'aws4_request'].reduce<string | Buffer>(
      (secret, part) => hmac(secret, part ?? ''),
      `AWS4${key.secretAccessKey}`,
    ),
    toSign,
  ).toString('hex');
  return signature === expected
    ? undefined
    : `the signature does not match the canonical request\n${canonical}`;
}

function canonicalRequest(
  request: SignedRequest,
  names: readonly string[],
  bodyHash: string,
  pathAsSent = false,
): string {
  const query = [...request.query]
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .sort(([a, x], [b, y]) => compare(a, b) || compare(x, y))
    .map(([name, value]) => `${name}=${value}`);
  return [
    request.method,
    pathAsSent ? request.path : request.path.split('/').map(encode).join('/'),
    query.join('&'),
    ...names.map((name) => `${name}:${(request.headers[name] ?? '').trim().replaceAll(/ +/g, ' ')}`),
    '',
    names.join(';'),
    bodyHash,
  ].join('\n');
}

/** RFC 3986: everything but the unreserved characters. */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

function hmac(secret: string | Buffer, data: string): Buffer {
  return createHmac('sha256', secret).update(data).digest();
}
