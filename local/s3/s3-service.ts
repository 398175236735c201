import type { HttpRequest, HttpResponse } from '../http-service.ts';
import { type BucketParts, handleBucket } from './bucket-requests.ts';
import { handleObject, type ObjectParts } from './object-requests.ts';
import type { ObjectStore } from './objects.ts';
import { S3Error } from './s3-error.ts';
import { xml, xmlType } from './s3-response.ts';
import { writeXml, type XmlElement } from './xml.ts';

export type S3Parts = BucketParts & ObjectParts;

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

function bucketsXml(objects: ObjectStore): XmlElement {
  const buckets = objects.buckets().map((name): XmlElement => ['Bucket', [['Name', name]]]);
  return ['ListAllMyBucketsResult', [['Buckets', buckets]]];
}
