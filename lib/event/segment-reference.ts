/**
 * What a notification says about one uploaded object. Everything but bucket and key is only a hint: the segment is whatever the
 * key holds when it is read.
 */
export interface SegmentReference {
  readonly scheme: 's3' | 'gs';
  readonly bucket: string;
  /** The raw key, decoded exactly once, never normalised. */
  readonly key: string;
  readonly sizeBytes?: number;
  /** Unquoted. */
  readonly etag?: string;
  /** S3's version ID; Google's generation. */
  readonly versionId?: string;
  /** Orders events of one key (S3). */
  readonly sequencer?: string;
  /** The event was `ObjectCreated:Copy`: the object's Last-Modified says nothing about earlier registrations. */
  readonly copied?: boolean;
  /**
   * Set by a redrive: the table and head at which the segment was proven absent, so that history is needed only from there on.
   */
  readonly absentAt?: { readonly tableUuid: string; readonly snapshotId: string | null };
}

/** `s3://bucket/key`, the key as it is. */
export function segmentUri(reference: Pick<SegmentReference, 'scheme' | 'bucket' | 'key'>): string {
  return `${reference.scheme}://${reference.bucket}/${reference.key}`;
}

/** The reference for an object that is there. @throws TypeError if it is not the URI of an object */
export function objectReference(uri: string): SegmentReference {
  const reference = referenceTo(uri);
  if (reference === undefined) throw new TypeError(`"${uri}" is not an object of a store`);
  return reference;
}

/** The reference for an object's URI; undefined if it is not the URI of an object. */
export function referenceTo(uri: string): SegmentReference | undefined {
  const [, scheme, bucket, key] = /^(s3|gs):\/\/([^/]+)\/(.+)$/s.exec(uri) ?? [];
  if (bucket === undefined || key === undefined) return undefined;
  return { scheme: scheme === 'gs' ? 'gs' : 's3', bucket, key };
}
