import { isIP } from 'node:net';
import { RegistrarError } from '../../errors.ts';
import { withoutEndSlashes } from '../../spec/object-uri.ts';
import { awsEndpoint } from '../aws-endpoint.ts';

/** The address of an object in a request. */
export interface S3Address {
  readonly bucket: string;
  /** The raw key, never normalised. */
  readonly key: string;
}

/** Bucket and raw key of `s3://bucket/key`, which may also be spelled `s3a://` or `s3n://`. @throws `config.invalid` */
export function parseS3Uri(uri: string): S3Address {
  const match = /^s3[an]?:\/\/([^/]+)(?:\/(.*))?$/s.exec(uri);
  if (match?.[1] === undefined) {
    throw new RegistrarError(
      'config.invalid',
      `Cannot use "${uri}" as an S3 URI: it must read s3://bucket/key`,
    );
  }
  return { bucket: match[1], key: match[2] ?? '' };
}

/** The target of requests for a bucket. */
export interface BucketEndpoint {
  readonly origin: string;
  /** The encoded path before the key; ends in a slash. */
  readonly basePath: string;
}

/** The target at a configured endpoint: `https://host/bucket/`, or `https://bucket.host/` if that is a valid host name. */
export function endpointAt(endpoint: string, bucket: string, pathStyle: boolean): BucketEndpoint {
  const { protocol, host, hostname, pathname } = new URL(endpoint);
  const root = `${withoutEndSlashes(pathname)}/`;
  const isHost = isHostLabel(bucket) && isIP(hostname.replace(/^\[|\]$/g, '')) === 0;
  return pathStyle || !isHost
    ? { origin: `${protocol}//${host}`, basePath: `${root}${encodeKey(bucket)}/` }
    : { origin: `${protocol}//${bucket}.${host}`, basePath: root };
}

/**
 * The target at Amazon S3, for plain bucket names in the partitions `aws` and `aws-cn`; undefined for everything else (access points,
 * directory buckets, other partitions).
 */
export function amazonEndpoint(
  bucket: string,
  region: string,
  pathStyle: boolean,
): BucketEndpoint | undefined {
  const isPlain = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket) && !/--[a-z0-9-]+$|^xn--/.test(bucket);
  if (!isPlain || !/^(af|ap|ca|cn|eu|il|me|mx|sa|us)-[a-z]+-\d+$/.test(region)) return undefined;
  return endpointAt(awsEndpoint('s3', region), bucket, pathStyle);
}

/** Under TLS a bucket with dots cannot be part of the host name, since a wildcard certificate covers only one label. */
function isHostLabel(bucket: string): boolean {
  return /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/.test(bucket);
}

/** Encodes a key as a path, as signatures require: every octet except `/` and the unreserved ones of RFC 3986. */
export function encodeKey(key: string): string {
  // Most keys have nothing to encode, and each request needs one.
  if (/^[\w.~/-]*$/.test(key)) return key;
  return encodeURIComponent(key)
    .replaceAll('%2F', '/')
    .replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}
