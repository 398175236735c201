/** An object of a lake as a list or an inventory has it: only bucket and key are certain. */
export interface LakeObject {
  /** `s3://bucket/key` with the raw key. */
  readonly uri: string;
  readonly sizeBytes?: number;
  /** Unquoted. */
  readonly etag?: string;
}
