import pLimit from 'p-limit';
import type { Lakehouse } from './lakehouse.ts';
import { measurements } from './measurements.ts';

/** A segment that lies in the store, as its notification names it. */
export interface Segment {
  readonly bucket: string;
  readonly key: string;
  readonly size: number;
  /** Unquoted. */
  readonly etag: string;
}

const TEMPLATES = 4;
const UPLOADS_AT_ONCE = 8;
/** Made once: the values of a file cost more than its upload. */
const made = new Map<number, Uint8Array>();

/** The shipper's `url`, below which the registrar's default layout begins. */
export function shipperUrl({ store }: Pick<Lakehouse, 'store'>): string {
  return `s3://${store.bucket}/in`;
}

export function uriOf({ bucket, key }: Pick<Segment, 'bucket' | 'key'>): string {
  return `s3://${bucket}/${key}`;
}

/** Uploads segments of one dataset, in the default layout; one content in four is the same. */
export async function upload(
  { put, store }: Pick<Lakehouse, 'put' | 'store'>,
  dataset: string,
  count: number,
): Promise<readonly Segment[]> {
  const limit = pLimit(UPLOADS_AT_ONCE);
  return Promise.all(
    Array.from({ length: count }, (_, index) =>
      limit(async (): Promise<Segment> => {
        const bytes = content(index % TEMPLATES);
        const key = `in/thadam/v1/bench/${dataset}/${String(index).padStart(6, '0')}.parquet`;
        const at = { bucket: store.bucket, key };
        return { ...at, size: bytes.length, etag: await put(uriOf(at), bytes) };
      }),
    ),
  );
}

function content(template: number): Uint8Array {
  const bytes = made.get(template) ?? measurements(template);
  made.set(template, bytes);
  return bytes;
}
