import { isIP } from 'node:net';
import { RegistrarError } from '../../errors.ts';

/** An object as a request names it. */
export interface S3Address {
  readonly bucket: string;
  /** Raw: never normalised. */
  readonly key: string;
}

/** Bucket and raw key of `s3://bucket/key`; `s3a://` and `s3n://` are spellings of it. @throws `config.invalid` */
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

/** Where the requests for a bucket go. */
export interface BucketEndpoint {
  readonly origin: string;
  /** Before the key, encoded; ends in a slash. */
  readonly basePath: string;
}

/** At an endpoint of its own: `https://host/bucket/`, or `https://bucket.host/` where that is a host's name. */
export function endpointAt(endpoint: string, bucket: string, pathStyle: boolean): BucketEndpoint {
  const { protocol, host, hostname, pathname } = new URL(endpoint);
  const root = pathname.replace(/\/*$/, '/');
  const isHost = isHostLabel(bucket) && isIP(hostname.replace(/^\[|\]$/g, '')) === 0;
  return pathStyle || !isHost
    ? { origin: `${protocol}//${host}`, basePath: `${root}${encodeKey(bucket)}/` }
    : { origin: `${protocol}//${bucket}.${host}`, basePath: root };
}

/**
 * At Amazon S3, for the regions of the partitions `aws` and `aws-cn` and for buckets with plain names; undefined for everything that takes
 * more than a name (access points, directory buckets, other partitions).
 */
export function amazonEndpoint(
  bucket: string,
  region: string,
  pathStyle: boolean,
): BucketEndpoint | undefined {
  const isPlain = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket) && !/--[a-z0-9-]+$|^xn--/.test(bucket);
  if (!isPlain || !/^(af|ap|ca|cn|eu|il|me|mx|sa|us)-[a-z]+-\d+$/.test(region)) return undefined;
  const suffix = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  return endpointAt(`https://s3.${region}.${suffix}`, bucket, pathStyle);
}

/** Under TLS a bucket with dots is no host's name: a wildcard certificate covers one label. */
function isHostLabel(bucket: string): boolean {
  return /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/.test(bucket);
}

/** A key as a path, with every octet but the unreserved ones of RFC 3986 and `/` encoded, as signatures want it. */
export function encodeKey(key: string): string {
  return encodeURIComponent(key)
    .replaceAll('%2F', '/')
    .replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}
