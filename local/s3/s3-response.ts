import type { HttpRequest, HttpResponse } from '../http-service.ts';
import type { StoredBytes } from './objects.ts';
import { S3Error } from './s3-error.ts';
import { writeXml, type XmlElement } from './xml.ts';

export const xmlType = { 'content-type': 'application/xml' };

export function xml(root: XmlElement): HttpResponse {
  return { status: 200, headers: xmlType, body: writeXml(root) };
}

export function notImplemented({ method, path, query }: HttpRequest): S3Error {
  return new S3Error(501, 'NotImplemented', `The local S3 does not implement ${method} ${path}?${query}`);
}

/** A time in the format of S3's XML documents. */
export function iso({ lastModifiedMs }: StoredBytes): string {
  return new Date(lastModifiedMs).toISOString();
}
