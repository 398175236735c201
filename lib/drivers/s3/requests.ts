import type { StoreSettings } from '../../config/entry.ts';
import type { Environment } from '../../config/overrides.ts';
import { RegistrarError } from '../../errors.ts';
import type { Clock, Random, Timers } from '../../ports.ts';
import { version } from '../../version.ts';
import { type AwsFault, awsFault } from '../aws-client.ts';
import { type HttpExchange, type HttpRequest, mayPass, type SendHttp } from '../http.ts';
import { amazonEndpoint, type BucketEndpoint, encodeKey, endpointAt, type S3Address } from './address.ts';
import { faultOf, rightRegion } from './answered-fault.ts';
import type { S3Sdk } from './sdk.ts';
import { type AwsCredentials, signedRequest } from './signed-request.ts';

export interface S3Request extends Pick<HttpRequest, 'body' | 'headers'>, S3Address {
  readonly method: 'GET' | 'HEAD' | 'PUT';
}

export type S3Result =
  | (Extract<HttpExchange, { kind: 'answer' }> & { readonly attempts: number })
  | { readonly kind: 'fault'; readonly fault: AwsFault };

export interface S3Ports {
  readonly send: SendHttp;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  /** AWS's environment variables, from which region, credentials and endpoint are taken if the settings have none. */
  readonly env: Environment;
  readonly sdk: () => Promise<S3Sdk>;
}

/** The target of requests for a bucket, with its origin parsed. */
interface Place extends BucketEndpoint {
  readonly url: URL;
}

const MAX_ATTEMPTS = 4;
/** Signatures are valid for 15 minutes. A clock that is off by this much is corrected with the server's time. */
const MAX_SKEW_MS = 4 * 60_000;

/**
 * Sends signed requests to S3, each up to four times while the store throttles, fails or does not answer. The region of a bucket and the
 * clock difference are learned from refusals.
 */
export function s3Requests(
  settings: StoreSettings,
  ports: S3Ports,
): (request: S3Request) => Promise<S3Result> {
  const { clock, timers, random, send } = ports;
  const credentials = credentialsOf(settings, ports);
  const regionOf = new Map<string, string>();
  const places = new Map<string, Place>();
  let ownRegion: Promise<string> | undefined;
  let skewMs = 0;

  async function placeOf(bucket: string, region: string): Promise<Place> {
    const name = `${region} ${bucket}`;
    const known = places.get(name);
    if (known !== undefined) return known;
    const endpoint = await endpointOf(bucket, region, settings, ports);
    const place = { ...endpoint, url: new URL(endpoint.origin) };
    places.set(name, place);
    return place;
  }

  /** Also returns the time that the request was signed with. */
  async function sendOnce(
    request: S3Request,
    region: string,
  ): Promise<{ readonly answer: HttpExchange; readonly signedMs: number }> {
    const { origin, basePath, url } = await placeOf(request.bucket, region);
    const plain: HttpRequest = {
      method: request.method,
      origin,
      path: `${basePath}${encodeKey(request.key)}`,
      headers: { 'user-agent': `iceberg-registrar/${version}`, ...request.headers },
      ...(request.body !== undefined && { body: request.body }),
    };
    const given = await credentials();
    const signedMs = clock.now() + skewMs;
    const signing = { service: 's3', region, credentials: given, nowMs: signedMs };
    return { answer: await send(await signedRequest(plain, url, signing)), signedMs };
  }

  /** Whether the refusal stated the store's time, with which the same request can succeed. */
  function correctClock(answer: HttpExchange, fault: AwsFault, signedMs: number): boolean {
    if (answer.kind !== 'answer' || !skewFaults.has(fault.name)) return false;
    const serverMs = Date.parse(String(answer.headers['date']));
    // Requests that were signed before another one's refusal corrected the clock are refused too.
    if (!(Math.abs(serverMs - signedMs) >= MAX_SKEW_MS)) return false;
    skewMs = serverMs - clock.now();
    return true;
  }

  return async (request) => {
    let attempts = 0;
    let followed: string | undefined;
    try {
      for (;;) {
        ownRegion ??= ownRegionOf(settings, ports);
        const region = regionOf.get(request.bucket) ?? (await ownRegion);
        const { answer, signedMs } = await sendOnce(request, region);
        attempts += 1;
        if (answer.kind === 'answer' && answer.status >= 200 && answer.status < 300) {
          return { ...answer, attempts };
        }
        const fault = faultOf(answer, attempts);
        const isLast = attempts === MAX_ATTEMPTS;
        const right = rightRegion(answer);
        if (right !== undefined && right !== region && followed === undefined) {
          regionOf.set(request.bucket, right);
          if (isLast) return { kind: 'fault', fault };
          followed = right;
          continue;
        }
        // The bucket is not in the region that the store named either, so the endpoint belongs to another region.
        if (right !== undefined && followed !== undefined)
          return { kind: 'fault', fault: { ...fault, region: followed } };
        if (!isLast && correctClock(answer, fault, signedMs)) continue;
        if (isLast || !isPassing(answer, fault)) return { kind: 'fault', fault };
        const baseMs = isThrottled(fault) ? 500 : 100;
        await timers.sleep(random.next() * baseMs * 2 ** (attempts - 1));
      }
    } catch (error) {
      ownRegion = undefined;
      if (error instanceof RegistrarError) throw error;
      return { kind: 'fault', fault: { ...awsFault(error), attempts } };
    }
  };
}

function isPassing(answer: HttpExchange, fault: AwsFault): boolean {
  if (answer.kind !== 'answer') return mayPass(answer.cause);
  return (
    [500, 502, 503, 504].includes(answer.status) || isThrottled(fault) || fault.name === 'RequestTimeout'
  );
}

function isThrottled({ status, name }: AwsFault): boolean {
  return (
    status === 429 ||
    /^(KMS\.)?(SlowDown|Throttl|RequestThrottled|TooManyRequests|RequestLimitExceeded)/.test(name)
  );
}

const skewFaults: ReadonlySet<string> = new Set([
  'RequestExpired',
  'RequestInTheFuture',
  'RequestTimeTooSkewed',
  'SignatureDoesNotMatch',
]);

/** Credentials from the settings, else from the environment (a function's role), else those that the SDK finds. */
function credentialsOf(settings: StoreSettings, { env, sdk }: S3Ports): () => Promise<AwsCredentials> {
  const own = keys(settings.access_key_id, settings.secret_access_key, settings.session_token);
  // A profile takes precedence over the environment's keys.
  const given =
    own ??
    (env['AWS_PROFILE']
      ? undefined
      : keys(env['AWS_ACCESS_KEY_ID'], env['AWS_SECRET_ACCESS_KEY'], env['AWS_SESSION_TOKEN']));
  return async () => given ?? (await sdk()).credentials();
}

function keys(
  id: string | undefined,
  secret: string | undefined,
  token?: string,
): AwsCredentials | undefined {
  if (!id || !secret) return undefined;
  return { accessKeyId: id, secretAccessKey: secret, ...(token && { sessionToken: token }) };
}

async function ownRegionOf(settings: StoreSettings, { env, sdk }: S3Ports): Promise<string> {
  if (settings.region !== undefined) return settings.region;
  if (settings.endpoint !== undefined) return 'us-east-1';
  return env['AWS_REGION'] || (await sdk()).region();
}

/** The target by bucket name, if nothing else is configured for the SDK. Otherwise the SDK's own rules apply. */
async function endpointOf(
  bucket: string,
  region: string,
  settings: StoreSettings,
  { env, sdk }: S3Ports,
): Promise<BucketEndpoint> {
  return plainEndpoint(bucket, region, settings, env) ?? (await sdk()).endpointOf(bucket, region);
}

/** The target for a bucket by its name; undefined if the SDK has to determine it. */
export function plainEndpoint(
  bucket: string,
  region: string,
  settings: StoreSettings,
  env: Environment,
): BucketEndpoint | undefined {
  if (settings.endpoint !== undefined) {
    return endpointAt(settings.endpoint, bucket, settings.path_style ?? true);
  }
  const asks = [
    'AWS_PROFILE',
    'AWS_ENDPOINT_URL',
    'AWS_ENDPOINT_URL_S3',
    'AWS_USE_FIPS_ENDPOINT',
    'AWS_USE_DUALSTACK_ENDPOINT',
  ];
  const isPlain = env['AWS_REGION'] !== undefined && asks.every((name) => !env[name]);
  return isPlain ? amazonEndpoint(bucket, region, settings.path_style ?? false) : undefined;
}
