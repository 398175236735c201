import type { HttpRequest, HttpResponse } from '../http-service.ts';
import {
  notificationConfigurationXml,
  type QueueConfiguration,
  readNotificationConfiguration,
} from './notification.ts';
import type { ObjectStore } from './objects.ts';
import { noSuchBucket } from './s3-error.ts';
import { iso, notImplemented, xml } from './s3-response.ts';
import { type XmlElement, xmlElements, xmlText } from './xml.ts';

export interface BucketParts {
  readonly objects: ObjectStore;
  notifications(bucket: string): readonly QueueConfiguration[];
  /** @throws S3Error 400 for a queue that S3 cannot notify */
  setNotifications(bucket: string, configurations: readonly QueueConfiguration[]): void;
  readonly uuid: () => string;
}

/** Requests that name a bucket and no key. @throws S3Error */
export function handleBucket(parts: BucketParts, request: HttpRequest, bucket: string): HttpResponse {
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
