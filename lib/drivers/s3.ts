import type { StoreSettings } from '../config/entry.ts';
import type { Environment } from '../config/overrides.ts';
import { once } from '../memo.ts';
import type { ByteRange, ListedObject, ReadResult, Store, StoredObject } from '../ports.ts';
import { type AwsFault, awsError, faultText, isCredentialFault, isForeign } from './aws-client.ts';
import type { EarlySockets } from './early-sockets.ts';
import { httpSender, type SendHttp } from './http.ts';
import { ownOrExisting } from './own-write.ts';
import { systemClock, systemRandom, systemTimers } from './platform.ts';
import { cut, rangeHeader, wholeOrPart } from './ranged-body.ts';
import { parseS3Uri } from './s3/address.ts';
import { lastModifiedOf, versionOf } from './s3/object-headers.ts';
import { type S3Result, s3Requests } from './s3/requests.ts';

export interface S3Surroundings {
  /** Environment variables of AWS, such as `AWS_REGION`. @default none; the SDK finds what is missing */
  readonly env?: Environment;
  /** @default its own connections */
  readonly send?: SendHttp;
}

/**
 * A store on S3 or a compatible server. Versions are unquoted ETags. Throttling and 5xx are retried; if they last, the error is
 * `store.unavailable`, or `auth.failed` if the credentials are refused. Reads and writes are signed and sent here, because the AWS SDK takes
 * several times as much CPU time. It is loaded for listings, and for what only the SDK can find out.
 */
export function s3Store(
  settings: StoreSettings,
  { env = {}, send = s3Sender() }: S3Surroundings = {},
): Store {
  const sdk = once(async () => (await import('./s3/sdk.ts')).s3Sdk(settings));
  const ask = s3Requests(settings, {
    send,
    env,
    sdk,
    clock: systemClock,
    timers: systemTimers,
    random: systemRandom,
  });
  const payer = settings.requester_pays ? { 'x-amz-request-payer': 'requester' } : {};
  const encryption =
    settings.kms_key_id === undefined
      ? {}
      : {
          'x-amz-server-side-encryption': 'aws:kms',
          'x-amz-server-side-encryption-aws-kms-key-id': settings.kms_key_id,
        };

  async function read(
    uri: string,
    options: { readonly range?: ByteRange; readonly ifVersion?: string } = {},
  ): Promise<ReadResult> {
    const { range, ifVersion } = options;
    const result = await ask({
      ...parseS3Uri(uri),
      method: 'GET',
      headers: {
        ...payer,
        ...(range !== undefined && { range: rangeHeader(range) }),
        ...(ifVersion !== undefined && { 'if-match': `"${ifVersion}"` }),
      },
    });
    if (result.kind === 'answer') return storedObject(uri, range, result);
    const { fault } = result;
    if (fault.status === 416 && range !== undefined) {
      return 'suffix' in range ? await readShort(uri, range, ifVersion) : await readNothing(uri);
    }
    if (fault.status === 412) return { kind: 'changed' };
    if (fault.name === 'NoSuchKey') return { kind: 'missing' };
    if (isDenied(fault)) return { kind: 'denied', message: faultText(fault) };
    throw awsError('store.unavailable', `read "${uri}"`, fault);
  }

  /** For an object that is empty, or shorter than the suffix if the server does not clamp it (fauxqs does not). */
  async function readShort(
    uri: string,
    range: ByteRange,
    ifVersion: string | undefined,
  ): Promise<ReadResult> {
    const whole = await read(uri, ifVersion === undefined ? {} : { ifVersion });
    return whole.kind === 'object' ? { ...whole, bytes: cut(whole.bytes, range) } : whole;
  }

  /** For a range that begins at the object's end. */
  async function readNothing(uri: string): Promise<ReadResult> {
    const head = await ask({ ...parseS3Uri(uri), method: 'HEAD', headers: payer });
    if (head.kind === 'fault') throw awsError('store.unavailable', `read "${uri}"`, head.fault);
    const sizeBytes = Number(header(head, 'content-length') ?? 0);
    return { ...described(uri, head), bytes: new Uint8Array(), sizeBytes };
  }

  async function write(uri: string, bytes: Uint8Array, options: { readonly ifAbsent?: boolean } = {}) {
    const result = await ask({
      ...parseS3Uri(uri),
      method: 'PUT',
      headers: {
        'content-type': 'application/octet-stream',
        ...payer,
        ...encryption,
        ...(options.ifAbsent && { 'if-none-match': '*' }),
      },
      body: bytes,
    });
    if (result.kind === 'answer') {
      return { kind: 'written', version: versionOf(uri, header(result, 'etag')) } as const;
    }
    const { fault } = result;
    if (options.ifAbsent && fault.status === 501) return await write(uri, bytes);
    if (options.ifAbsent && fault.status === 412)
      return ownOrExisting(bytes, fault.attempts, () => read(uri));
    throw awsError('store.unavailable', `write "${uri}"`, fault, 's3:PutObject');
  }

  async function* list(
    prefix: string,
    options: { readonly startAfter?: string } = {},
  ): AsyncGenerator<ListedObject> {
    yield* (await sdk()).list(prefix, options);
  }

  return { read, write, list };
}

/**
 * Whether a refusal concerns this object alone. S3 answers 400 for an object whose key only the uploader has (SSE-C, minio/minio#4894), or
 * whose KMS key is disabled, pending deletion or gone (localstack/localstack#8422): whoever may upload can make such objects, and none of
 * them may stop its dataset.
 */
function isDenied(fault: AwsFault): boolean {
  const { status, name, message } = fault;
  if (status === 403) return !isCredentialFault(fault) && !isForeign(fault);
  const isSseC = name === 'InvalidRequest' && /Server Side Encryption/i.test(message);
  return status === 400 && (isSseC || KMS_KEY_FAULTS.has(name));
}

const KMS_KEY_FAULTS: ReadonlySet<string> = new Set([
  'KMS.DisabledException',
  'KMS.KMSInvalidStateException',
  'KMS.NotFoundException',
]);

/** Connections to stores. Their requests are repeatable, so idle connections may be kept longer than those to a catalog. */
export function s3Sender(early?: EarlySockets): SendHttp {
  return httpSender({
    early,
    connectTimeoutMs: 3_000,
    timeoutMs: 20_000,
    keepAliveMs: 15_000,
    maxAnswerBytes: Number.POSITIVE_INFINITY,
    // Thousands of footers and manifests are read, and little of them is kept.
    collectedAnswerBytes: Number.POSITIVE_INFINITY,
  });
}

type S3Answer = Extract<S3Result, { kind: 'answer' }>;

function storedObject(uri: string, range: ByteRange | undefined, answer: S3Answer): StoredObject {
  const part = wholeOrPart(uri, range, answer.body, header(answer, 'content-range'));
  return { ...described(uri, answer), ...part };
}

function described(uri: string, answer: S3Answer) {
  return {
    kind: 'object',
    version: versionOf(uri, header(answer, 'etag')),
    lastModifiedMs: lastModifiedOf(uri, Date.parse(header(answer, 'last-modified') ?? '')),
  } as const;
}

function header({ headers }: S3Answer, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}
