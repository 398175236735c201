import { createHash } from 'node:crypto';
import type { Conditions } from './conditions.ts';
import type { ObjectStore, StoredBytes } from './objects.ts';
import { S3Error } from './s3-error.ts';

const minimumPartBytes = 5 * 1024 * 1024;

/** Uploads in parts. @throws S3Error NoSuchUpload, InvalidPart, InvalidPartOrder, EntityTooSmall */
export interface MultipartUploads {
  start(bucket: string, key: string, headers: Readonly<Record<string, string>>): string;
  /** Returns the part's ETag without quotes. */
  putPart(uploadId: string, partNumber: number, bytes: Buffer): string;
  complete(
    uploadId: string,
    parts: readonly { readonly partNumber: number; readonly etag: string }[],
    conditions: Conditions,
  ): StoredBytes;
  abort(uploadId: string): void;
}

interface Upload {
  readonly bucket: string;
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly parts: Map<number, Buffer>;
}

export function createMultipartUploads(objects: ObjectStore, uuid: () => string): MultipartUploads {
  const uploads = new Map<string, Upload>();
  const uploadOf = (uploadId: string): Upload => {
    const upload = uploads.get(uploadId);
    if (!upload)
      throw new S3Error(404, 'NoSuchUpload', `The specified multipart upload does not exist: "${uploadId}"`);
    return upload;
  };
  return {
    start(bucket, key, headers) {
      objects.get(bucket, key);
      const uploadId = uuid();
      uploads.set(uploadId, { bucket, key, headers, parts: new Map() });
      return uploadId;
    },
    putPart(uploadId, partNumber, bytes) {
      uploadOf(uploadId).parts.set(partNumber, bytes);
      return md5(bytes).toString('hex');
    },
    complete(uploadId, parts, conditions) {
      const { bucket, key, headers, parts: stored } = uploadOf(uploadId);
      if (parts.some((part, i) => part.partNumber <= (parts[i - 1]?.partNumber ?? 0))) {
        throw new S3Error(400, 'InvalidPartOrder', 'The list of parts was not in ascending order');
      }
      const bodies = parts.map(({ partNumber, etag }, i) => {
        const bytes = stored.get(partNumber);
        if (!bytes || md5(bytes).toString('hex') !== etag.replaceAll('"', '')) {
          throw new S3Error(400, 'InvalidPart', `Part ${partNumber} was not uploaded, or has another ETag`);
        }
        if (bytes.length < minimumPartBytes && i < parts.length - 1) {
          throw new S3Error(
            400,
            'EntityTooSmall',
            `Part ${partNumber} is smaller than ${minimumPartBytes} bytes`,
          );
        }
        return bytes;
      });
      const object = objects.put(bucket, key, Buffer.concat(bodies), {
        conditions,
        headers,
        name: 'ObjectCreated:CompleteMultipartUpload',
        etag: `${md5(Buffer.concat(bodies.map(md5))).toString('hex')}-${bodies.length}`,
      });
      uploads.delete(uploadId);
      return object;
    },
    abort(uploadId) {
      uploadOf(uploadId);
      uploads.delete(uploadId);
    },
  };
}

const md5 = (bytes: Buffer): Buffer => createHash('md5').update(bytes).digest();
