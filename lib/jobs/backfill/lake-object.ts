/** An object of a lake, from a listing or an inventory: only bucket and key are certain. */
export interface LakeObject {
  /** `s3://bucket/key` with the raw key. */
  readonly uri: string;
  readonly sizeBytes?: number;
  /** Unquoted. */
  readonly etag?: string;
}
