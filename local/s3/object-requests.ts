import type { HttpRequest, HttpResponse } from '../http-service.ts';
import { decodeAwsChunked } from './aws-chunked.ts';
import { type Conditions, checkRead, resolveRange } from './conditions.ts';
import type { MultipartUploads } from './multipart.ts';
import type { ObjectStore, StoredBytes } from './objects.ts';
import { noSuchKey, S3Error } from './s3-error.ts';
import { iso, notImplemented, xml } from './s3-response.ts';
import { type XmlElement, xmlElements, xmlText } from './xml.ts';

export interface ObjectParts {
  readonly objects: ObjectStore;
  readonly uploads: MultipartUploads;
}

/** Requests that name a bucket and a key. @throws S3Error */
export function handleObject(
  parts: ObjectParts,
  request: HttpRequest,
  bucket: string,
  key: string,
): HttpResponse {
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
