import type { Entry } from '../lib/config/entry.ts';

export interface BucketPrefix {
  readonly bucket: string;
  /** With a trailing slash; empty for a whole bucket. */
  readonly prefix: string;
}

/** What is notified of each bucket: the prefixes without those that lie below another, since S3 refuses notifications with overlapping prefixes. */
export function prefixesOf(entries: readonly Entry[]): readonly BucketPrefix[] {
  const urls = [...new Set(entries.map(({ url }) => `${url}/`))];
  return urls
    .filter((url) => !urls.some((other) => other !== url && url.startsWith(other)))
    .map((url) => {
      const [, bucket = '', prefix = ''] = /^s3:\/\/([^/]+)\/(.*)$/s.exec(url) ?? [];
      return { bucket, prefix };
    });
}
