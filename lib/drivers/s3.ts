import {
  GetObjectCommand,
  type GetObjectCommandOutput,
  HeadObjectCommand,
  type HeadObjectCommandOutput,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import type { StoreSettings } from '../config/entry.ts';
import { RegistrarError } from '../errors.ts';
import type { ByteRange, ListedObject, ReadResult, Store, StoredObject } from '../ports.ts';
import {
  awsClientConfig,
  awsError,
  awsFault,
  faultText,
  isCredentialFault,
  isForeign,
} from './aws-client.ts';

/**
 * A store on S3 or anything that speaks it. Versions are unquoted ETags. Throttling and 5xx are retried within the SDK's
 * bounds; what is left is `store.unavailable`, or `auth.failed` where the caller's credentials are refused.
 */
export function s3Store(settings: StoreSettings): Store {
  const client = new S3Client({
    ...awsClientConfig(settings),
    forcePathStyle: settings.path_style ?? settings.endpoint !== undefined,
    followRegionRedirects: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  const payer = settings.requester_pays ? ({ RequestPayer: 'requester' } as const) : {};
  const encryption =
    settings.kms_key_id === undefined
      ? {}
      : ({ ServerSideEncryption: 'aws:kms', SSEKMSKeyId: settings.kms_key_id } as const);

  async function read(
    uri: string,
    options: { readonly range?: ByteRange; readonly ifVersion?: string } = {},
  ): Promise<ReadResult> {
    const { range, ifVersion } = options;
    const address = {
      ...parseS3Uri(uri),
      ...payer,
      ...(ifVersion !== undefined && { IfMatch: `"${ifVersion}"` }),
    };
    try {
      const output = await client.send(
        new GetObjectCommand({ ...address, ...(range !== undefined && { Range: rangeHeader(range) }) }),
      );
      return await storedObject(uri, range, output);
    } catch (error) {
      if (error instanceof RegistrarError) throw error;
      const fault = awsFault(error);
      if (fault.status === 416 && range !== undefined) {
        return 'suffix' in range ? await readShort(uri, range, ifVersion) : await readNothing(uri);
      }
      if (fault.status === 412) return { kind: 'changed' };
      if (fault.name === 'NoSuchKey') return { kind: 'missing' };
      if (fault.status === 403 && !isCredentialFault(fault) && !isForeign(fault)) {
        return { kind: 'denied', message: faultText(fault) };
      }
      throw awsError('store.unavailable', `read "${uri}"`, fault);
    }
  }

  /** An object that is empty, or shorter than a suffix that its server does not clamp (fauxqs does not). */
  async function readShort(
    uri: string,
    range: ByteRange,
    ifVersion: string | undefined,
  ): Promise<ReadResult> {
    const whole = await read(uri, ifVersion === undefined ? {} : { ifVersion });
    return whole.kind === 'object' ? { ...whole, bytes: cut(whole.bytes, range) } : whole;
  }

  /** A range that begins where the object ends. */
  async function readNothing(uri: string): Promise<ReadResult> {
    const head = await client
      .send(new HeadObjectCommand({ ...parseS3Uri(uri), ...payer }))
      .catch((error: unknown) => {
        throw awsError('store.unavailable', `read "${uri}"`, awsFault(error));
      });
    return { ...described(uri, head), bytes: new Uint8Array(), sizeBytes: head.ContentLength ?? 0 };
  }

  async function write(uri: string, bytes: Uint8Array, options: { readonly ifAbsent?: boolean } = {}) {
    const command = new PutObjectCommand({
      ...parseS3Uri(uri),
      ...payer,
      ...encryption,
      Body: bytes,
      ...(options.ifAbsent && { IfNoneMatch: '*' }),
    });
    try {
      const { ETag } = await client.send(command);
      return { kind: 'written', version: versionOf(uri, ETag) } as const;
    } catch (error) {
      if (error instanceof RegistrarError) throw error;
      const fault = awsFault(error);
      if (options.ifAbsent && fault.status === 501) return await write(uri, bytes);
      if (options.ifAbsent && fault.status === 412) {
        // The SDK repeats a request whose answer was lost: what exists may be what it wrote itself.
        const found = fault.attempts > 1 ? await read(uri) : undefined;
        return found?.kind === 'object' && Buffer.from(bytes).equals(found.bytes)
          ? ({ kind: 'written', version: found.version } as const)
          : ({ kind: 'exists' } as const);
      }
      throw awsError('store.unavailable', `write "${uri}"`, fault);
    }
  }

  async function* list(
    prefix: string,
    options: { readonly startAfter?: string } = {},
  ): AsyncGenerator<ListedObject> {
    const { Bucket, Key: Prefix } = parseS3Uri(prefix);
    const after = options.startAfter === undefined ? {} : { StartAfter: parseS3Uri(options.startAfter).Key };
    let token: string | undefined;
    do {
      const page = await client
        .send(
          new ListObjectsV2Command({
            Bucket,
            Prefix,
            ...payer,
            EncodingType: 'url',
            ...(token === undefined ? after : { ContinuationToken: token }),
          }),
        )
        .catch((error: unknown) => {
          throw awsError('store.unavailable', `list "${prefix}"`, awsFault(error));
        });
      const decode = page.EncodingType === 'url' ? decodeListedKey : (key: string) => key;
      for (const { Key, Size, ETag, LastModified } of page.Contents ?? []) {
        if (Key === undefined) continue;
        const uri = `s3://${Bucket}/${decode(Key)}`;
        yield {
          uri,
          sizeBytes: Size ?? 0,
          version: versionOf(uri, ETag),
          lastModifiedMs: lastModifiedOf(uri, LastModified),
        };
      }
      token = page.IsTruncated ? page.NextContinuationToken : undefined;
    } while (token !== undefined);
  }

  return { read, write, list };
}

/** Bucket and raw key of `s3://bucket/key`; `s3a://` and `s3n://` are spellings of it. */
function parseS3Uri(uri: string): { readonly Bucket: string; readonly Key: string } {
  const match = /^s3[an]?:\/\/([^/]+)(?:\/(.*))?$/s.exec(uri);
  if (match?.[1] === undefined) {
    throw new RegistrarError(
      'config.invalid',
      `Cannot use "${uri}" as an S3 URI: it must read s3://bucket/key`,
    );
  }
  return { Bucket: match[1], Key: match[2] ?? '' };
}

function rangeHeader(range: ByteRange): string {
  return 'suffix' in range ? `bytes=-${range.suffix}` : `bytes=${range.start}-${range.end - 1}`;
}

/** First and last byte (exclusive) that a range names in an object of that size. */
function span(range: ByteRange | undefined, sizeBytes: number): readonly [number, number] {
  if (range === undefined) return [0, sizeBytes];
  if ('suffix' in range) return [Math.max(0, sizeBytes - range.suffix), sizeBytes];
  return [Math.min(range.start, sizeBytes), Math.min(range.end, sizeBytes)];
}

function cut(whole: Uint8Array, range: ByteRange | undefined): Uint8Array {
  return whole.subarray(...span(range, whole.length));
}

/** The object as answered; servers that ignore a range are tolerated, those that answer another one are not. */
async function storedObject(
  uri: string,
  range: ByteRange | undefined,
  output: GetObjectCommandOutput,
): Promise<StoredObject> {
  const body = (await output.Body?.transformToByteArray()) ?? new Uint8Array();
  if (output.ContentRange === undefined) {
    return { ...described(uri, output), bytes: cut(body, range), sizeBytes: body.length };
  }
  const sizeBytes = Number(/^bytes \d+-\d+\/(\d+)$/.exec(output.ContentRange)?.[1]);
  const [start, end] = span(range, sizeBytes);
  if (output.ContentRange !== `bytes ${start}-${end - 1}/${sizeBytes}` || body.length !== end - start) {
    throw new RegistrarError(
      'store.unavailable',
      `Cannot read "${uri}": asked for ${range === undefined ? 'all' : rangeHeader(range)}, the store answered ${body.length} bytes as "${output.ContentRange}"`,
    );
  }
  return { ...described(uri, output), bytes: body, sizeBytes };
}

function described(uri: string, output: GetObjectCommandOutput | HeadObjectCommandOutput) {
  return {
    kind: 'object',
    version: versionOf(uri, output.ETag),
    lastModifiedMs: lastModifiedOf(uri, output.LastModified),
  } as const;
}

function versionOf(uri: string, etag: string | undefined): string {
  if (etag !== undefined) return etag.replaceAll('"', '');
  throw new RegistrarError('store.unavailable', `Cannot use "${uri}": the store answered no ETag for it`);
}

function lastModifiedOf(uri: string, date: Date | undefined): number {
  if (date !== undefined) return date.getTime();
  throw new RegistrarError(
    'store.unavailable',
    `Cannot use "${uri}": the store answered no Last-Modified for it`,
  );
}

/** `encoding-type=url` is form encoding: a space is `+`. */
function decodeListedKey(key: string): string {
  return decodeURIComponent(key.replaceAll('+', ' '));
}
