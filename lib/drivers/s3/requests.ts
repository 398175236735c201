import type { StoreSettings } from '../../config/entry.ts';
import type { Environment } from '../../config/overrides.ts';
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
  /** Region, credentials and endpoint are taken from here, as AWS names them, where the settings have none. */
  readonly env: Environment;
  readonly sdk: () => Promise<S3Sdk>;
}

/** Where the requests for a bucket go, its origin parsed. */
interface Place extends BucketEndpoint {
  readonly url: URL;
}

const MAX_ATTEMPTS = 4;
/** A signature is good for 15 minutes; a clock that is this far off is corrected by the server's. */
const MAX_SKEW_MS = 4 * 60_000;

/**
 * Sends requests to S3, signed, each up to four times while the store throttles, fails or is silent; the region of a bucket and the
 * difference of the clocks are learned from its refusals.
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

  async function sendOnce(request: S3Request, region: string): Promise<HttpExchange> {
    const { origin, basePath, url } = await placeOf(request.bucket, region);
    const plain: HttpRequest = {
      method: request.method,
      origin,
      path: `${basePath}${encodeKey(request.key)}`,
      headers: { 'user-agent': `iceberg-registrar/${version}`, ...request.headers },
      ...(request.body !== undefined && { body: request.body }),
    };
    const signing = {
      service: 's3',
      region,
      credentials: await credentials(),
      nowMs: clock.now() + skewMs,
    };
    return send(await signedRequest(plain, url, signing));
  }

  /** Whether the refusal told the store's time, which lets the same request pass. */
  function correctClock(answer: HttpExchange, fault: AwsFault): boolean {
    if (answer.kind !== 'answer' || !skewFaults.has(fault.name)) return false;
    const serverMs = Date.parse(String(answer.headers['date']));
    const offMs = serverMs - (clock.now() + skewMs);
    if (!(Math.abs(offMs) >= MAX_SKEW_MS)) return false;
    skewMs += offMs;
    return true;
  }

  return async (request) => {
    let attempts = 0;
    let followed: string | undefined;
    try {
      for (;;) {
        ownRegion ??= ownRegionOf(settings, ports);
        const region = regionOf.get(request.bucket) ?? (await ownRegion);
        const answer = await sendOnce(request, region);
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
        // It is not even there that the store says it is: the endpoint is another region's.
        if (right !== undefined && followed !== undefined)
          return { kind: 'fault', fault: { ...fault, region: followed } };
        if (!isLast && correctClock(answer, fault)) continue;
        if (isLast || !isPassing(answer, fault)) return { kind: 'fault', fault };
        const baseMs = isThrottled(fault) ? 500 : 100;
        await timers.sleep(random.next() * baseMs * 2 ** (attempts - 1));
      }
    } catch (error) {
      ownRegion = undefined;
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

/** The settings' own, those of the environment (a function's role), else whatever the SDK finds. */
function credentialsOf(settings: StoreSettings, { env, sdk }: S3Ports): () => Promise<AwsCredentials> {
  const own = keys(settings.access_key_id, settings.secret_access_key, settings.session_token);
  // A profile comes before the environment's keys.
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

/** By name alone where that is all it takes; what the SDK can be told besides is left to its own rules. */
async function endpointOf(
  bucket: string,
  region: string,
  settings: StoreSettings,
  { env, sdk }: S3Ports,
): Promise<BucketEndpoint> {
  return plainEndpoint(bucket, region, settings, env) ?? (await sdk()).endpointOf(bucket, region);
}

/** Where the requests for a bucket go, by its name; undefined where the SDK has to say. */
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
