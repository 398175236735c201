import type { Entry } from '../../config/entry.ts';
import type { BucketRegion } from '../../ports/setup.ts';
import { type Found, notChecked, ok, warning } from './finding.ts';

/** A bucket in another region works, but costs one more, refused request at every cold start. */
export async function examineRegion({ url }: Entry, region: BucketRegion): Promise<Found> {
  const [, bucket = ''] = /^s3:\/\/([^/]+)/.exec(url) ?? [];
  const { asked, actual } = await region.read(bucket);
  if (actual === undefined) return notChecked(`the store does not say in which region bucket "${bucket}" is`);
  if (actual === asked) return ok(`bucket "${bucket}" is in "${actual}", where it is asked for`);
  return warning(
    `bucket "${bucket}" is in "${actual}", and is asked for in "${asked}"`,
    `set store.region to ${actual}, and run the functions there: every byte between regions is paid for`,
  );
}
