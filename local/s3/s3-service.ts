import type { HttpRequest, HttpResponse } from '../http-service.ts';
import { decodeAwsChunked } from './aws-chunked.ts';
import { type Conditions, checkRead, resolveRange } from './conditions.ts';
import type { MultipartUploads } from './multipart.ts';
import {
  notificationConfigurationXml,
  type QueueConfiguration,
  readNotificationConfiguration,
} from './notification.ts';
import type { ObjectStore, StoredBytes } from './objects.ts';
import { noSuchBucket, noSuchKey, S3Error } from './s3-error.ts';
import { writeXml, type XmlElement, xmlElements, xmlText } from './xml.ts';

export interface S3Parts {
  readonly objects: ObjectStore;
  readonly uploads: MultipartUploads;
  notifications(bucket: string): readonly QueueConfiguration[];
  /** @throws S3Error 400 for a queue that S3 cannot notify */
  setNotifications(bucket: string, configurations: readonly QueueConfiguration[]): void;
  readonly uuid: () => string;
}

/** S3's REST dialect, path style, over an object store in memory. Signatures are not verified. */
export function handleS3(parts: S3Parts, request: HttpRequest): HttpResponse {
  try {
    const slash = request.path.indexOf('/', 1);
    const bucket = decodeURIComponent(slash === -1 ? request.path.slice(1) : request.path.slice(1, slash));
    const key = slash === -1 ? '' : decodeURIComponent(request.path.slice(slash + 1));
    if (bucket === '') return xml(bucketsXml(parts.objects));
    return key === '' ? handleBucket(parts, request, bucket) : handleObject(parts, request, bucket, key);
  } catch (error) {
    if (!(error instanceof S3Error)) throw error;
    const body = writeXml([
      'Error',
      [
        ['Code', error.code],
        ['Message', error.message],
        ['RequestId', parts.uuid()],
      ],
    ]);
    return { status: error.status, headers: xmlType, ...(request.method !== 'HEAD' && { body }) };
  }
}

function handleBucket(parts: S3Parts, request: HttpRequest, bucket: string): HttpResponse {
  const { method, query } = request;
  const { objects } = parts;
  const exists = () => {
    if (!objects.hasBucket(bucket)) throw noSuchBucket(bucket);
  };
  if (query.has('notification')) {
    exists();
    if (method === 'GET') return xml(notificationConfigurationXml(parts.notifications(bucket)));
    parts.setNotifications(bucket, readNotificationConfiguration(request.body.toString(), parts.uuid));
    return { status: 200 };
  }
  if (query.has('location')) {
    exists();
    return xml(['LocationConstraint', '']);
  }
  switch (method) {
    case 'PUT':
      objects.createBucket(bucket);
      return { status: 200, headers: { location: `/${bucket}` } };
    case 'HEAD':
      exists();
      return { status: 200 };
    case 'DELETE':
      objects.deleteBucket(bucket);
      return { status: 204 };
    case 'POST':
      if (query.has('delete')) return xml(deleteObjects(objects, bucket, request.body.toString()));
      break;
    case 'GET':
      if ([...query.keys()].every((name) => listParameters.has(name)))
        return xml(listXml(objects, bucket, query));
  }
  throw notImplemented(request);
}

function handleObject(parts: S3Parts, request: HttpRequest, bucket: string, key: string): HttpResponse {
  const { method, query, headers } = request;
  const { objects, uploads } = parts;
  const uploadId = query.get('uploadId');
  const conditions: Conditions = {
    ifMatch: headers['if-match'],
    ifNoneMatch: headers['if-none-match'],
    ifModifiedSince: headers['if-modified-since'],
    ifUnmodifiedSince: headers['if-unmodified-since'],
  };
  switch (method) {
    case 'GET':
    case 'HEAD': {
      const object = objects.get(bucket, key);
      if (!object) throw noSuchKey(key);
      return read(object, conditions, headers['range'], method === 'HEAD');
    }
    case 'PUT':
      if (headers['x-amz-copy-source'] !== undefined) {
        if (uploadId !== null) break;
        return xml(copy(objects, headers, bucket, key));
      }
      if (uploadId !== null) {
        const etag = uploads.putPart(uploadId, Number(query.get('partNumber')), payload(request));
        return { status: 200, headers: { etag: `"${etag}"` } };
      }
      return {
        status: 200,
        headers: {
          etag: `"${objects.put(bucket, key, payload(request), { conditions, headers: kept(headers) }).etag}"`,
        },
      };
    case 'POST':
      if (query.has('uploads')) {
        const started = uploads.start(bucket, key, kept(headers));
        return xml([
          'InitiateMultipartUploadResult',
          [
            ['Bucket', bucket],
            ['Key', key],
            ['UploadId', started],
          ],
        ]);
      }
      if (uploadId !== null) {
        const { etag } = uploads.complete(uploadId, readParts(request.body.toString()), conditions);
        return xml([
          'CompleteMultipartUploadResult',
          [
            ['Bucket', bucket],
            ['Key', key],
            ['ETag', `"${etag}"`],
          ],
        ]);
      }
      break;
    case 'DELETE':
      if (uploadId !== null) uploads.abort(uploadId);
      else objects.delete(bucket, key);
      return { status: 204 };
  }
  throw notImplemented(request);
}

function read(
  object: StoredBytes,
  conditions: Conditions,
  rangeHeader: string | undefined,
  headOnly: boolean,
): HttpResponse {
  const { bytes, etag, lastModifiedMs } = object;
  const headers = { etag: `"${etag}"`, 'last-modified': new Date(lastModifiedMs).toUTCString() };
  if (checkRead(conditions, object) === 'unmodified') return { status: 304, headers };
  const range = resolveRange(rangeHeader, bytes.length);
  const { start, end } = range ?? { start: 0, end: bytes.length };
  return {
    status: range ? 206 : 200,
    headers: {
      'content-type': 'binary/octet-stream',
      ...object.headers,
      ...headers,
      'accept-ranges': 'bytes',
      'content-length': String(end - start),
      ...(range && { 'content-range': `bytes ${start}-${end - 1}/${bytes.length}` }),
    },
    ...(!headOnly && { body: bytes.subarray(start, end) }),
  };
}

function copy(
  objects: ObjectStore,
  headers: HttpRequest['headers'],
  bucket: string,
  key: string,
): XmlElement {
  const source = decodeURIComponent(headers['x-amz-copy-source'] ?? '').replace(/^\//, '');
  const [, sourceBucket = '', sourceKey = ''] = /^([^/]+)\/(.+)$/s.exec(source) ?? [];
  const original = objects.get(sourceBucket, sourceKey);
  if (!original) throw noSuchKey(sourceKey);
  const replace = headers['x-amz-metadata-directive'] === 'REPLACE';
  if (!replace && sourceBucket === bucket && sourceKey === key) {
    throw new S3Error(
      400,
      'InvalidRequest',
      'This copy request is illegal because it changes nothing of the object',
    );
  }
  const copied = objects.put(bucket, key, original.bytes, {
    headers: replace ? kept(headers) : original.headers,
    name: 'ObjectCreated:Copy',
  });
  return [
    'CopyObjectResult',
    [
      ['ETag', `"${copied.etag}"`],
      ['LastModified', iso(copied)],
    ],
  ];
}

function deleteObjects(objects: ObjectStore, bucket: string, body: string): XmlElement {
  const keys = xmlElements(body, 'Object').map((object) => xmlText(object, 'Key') ?? '');
  for (const key of keys) objects.delete(bucket, key);
  const quiet = xmlText(body, 'Quiet') === 'true';
  return ['DeleteResult', quiet ? [] : keys.map((key): XmlElement => ['Deleted', [['Key', key]]])];
}

const listParameters = new Set(
  ['list-type', 'prefix', 'delimiter', 'max-keys', 'start-after', 'continuation-token', 'marker'].concat([
    'encoding-type',
    'fetch-owner',
    'x-id',
  ]),
);

/** ListObjectsV2, and ListObjects for the clients that still send it. */
function listXml(objects: ObjectStore, bucket: string, query: URLSearchParams): XmlElement {
  const prefix = query.get('prefix') ?? '';
  const delimiter = query.get('delimiter') ?? '';
  const token = query.get('continuation-token');
  const max = Math.min(1000, Number(query.get('max-keys') ?? 1000));
  const after = token === null ? (query.get('start-after') ?? query.get('marker') ?? '') : fromToken(token);
  const page = objects.list(bucket, { prefix, delimiter, after, max });
  const urlEncoded = query.get('encoding-type') === 'url';
  const text = (value: string) => (urlEncoded ? encodeURIComponent(value).replaceAll('%2F', '/') : value);
  const next = page.nextAfter;
  const nextXml: XmlElement | undefined =
    next === undefined
      ? undefined
      : query.has('list-type')
        ? ['NextContinuationToken', Buffer.from(next).toString('base64url')]
        : ['NextMarker', text(next)];
  return [
    'ListBucketResult',
    [
      ['Name', bucket],
      ['Prefix', text(prefix)],
      ['MaxKeys', max],
      ['KeyCount', page.objects.length + page.commonPrefixes.length],
      ['IsTruncated', next !== undefined],
      urlEncoded ? ['EncodingType', 'url'] : undefined,
      nextXml,
      ...page.objects.map(
        (object): XmlElement => [
          'Contents',
          [
            ['Key', text(object.key)],
            ['LastModified', iso(object)],
            ['ETag', `"${object.etag}"`],
            ['Size', object.bytes.length],
            ['StorageClass', 'STANDARD'],
          ],
        ],
      ),
      ...page.commonPrefixes.map((common): XmlElement => ['CommonPrefixes', [['Prefix', text(common)]]]),
    ],
  ];
}

function fromToken(token: string): string {
  return Buffer.from(token, 'base64url').toString();
}

function bucketsXml(objects: ObjectStore): XmlElement {
  const buckets = objects.buckets().map((name): XmlElement => ['Bucket', [['Name', name]]]);
  return ['ListAllMyBucketsResult', [['Buckets', buckets]]];
}

function readParts(body: string): { partNumber: number; etag: string }[] {
  return xmlElements(body, 'Part').map((part) => ({
    partNumber: Number(xmlText(part, 'PartNumber')),
    etag: xmlText(part, 'ETag') ?? '',
  }));
}

function payload({ headers, body }: HttpRequest): Buffer {
  return /\baws-chunked\b/.test(headers['content-encoding'] ?? '') ? decodeAwsChunked(body) : body;
}

/** The headers that S3 stores with an object; the transfer coding `aws-chunked` is not part of it. */
function kept(headers: HttpRequest['headers']): Record<string, string> {
  const stored: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (
      value === undefined ||
      !/^(content-(type|language|disposition|encoding)|cache-control|x-amz-meta-.*)$/.test(name)
    )
      continue;
    const clean = name === 'content-encoding' ? value.replace(/\s*aws-chunked\s*,?/, '') : value;
    if (clean !== '') stored[name] = clean;
  }
  return stored;
}

function iso({ lastModifiedMs }: StoredBytes): string {
  return new Date(lastModifiedMs).toISOString();
}

const xmlType = { 'content-type': 'application/xml' };

function xml(root: XmlElement): HttpResponse {
  return { status: 200, headers: xmlType, body: writeXml(root) };
}

function notImplemented({ method, path, query }: HttpRequest): S3Error {
  return new S3Error(501, 'NotImplemented', `The local S3 does not implement ${method} ${path}?${query}`);
}
