/** What a notification says of one uploaded object. Everything but bucket and key is a hint: what the key holds when it is read is the segment. */
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
  /** The object came by `ObjectCreated:Copy`: its Last-Modified says nothing about earlier registrations. */
  readonly copied?: boolean;
  /** Of a redrive: table and head at which the segment was proven absent, so that history is needed only from there. */
  readonly absentAt?: { readonly tableUuid: string; readonly snapshotId: string | null };
}

/** `s3://bucket/key`, the key as it is. */
export function segmentUri(reference: Pick<SegmentReference, 'scheme' | 'bucket' | 'key'>): string {
  return `${reference.scheme}://${reference.bucket}/${reference.key}`;
}

/** The reference of an object's URI; undefined for what is no object of a store. */
export function referenceTo(uri: string): SegmentReference | undefined {
  const [, scheme, bucket, key] = /^(s3|gs):\/\/([^/]+)\/(.+)$/s.exec(uri) ?? [];
  if (bucket === undefined || key === undefined) return undefined;
  return { scheme: scheme === 'gs' ? 'gs' : 's3', bucket, key };
}
