import type { Entry } from '../../config/entry.ts';
import type { BucketLifecycle, LifecycleRule } from '../../ports.ts';
import { type Found, failed, notChecked, ok } from './finding.ts';

/** A rule that expires objects takes files from under the tables: they are registered where they lie. */
export async function examineLifecycle({ url }: Entry, lifecycle: BucketLifecycle): Promise<Found> {
  const [, bucket, key = ''] = /^s3:\/\/([^/]+)\/?(.*)$/.exec(url) ?? [];
  if (bucket === undefined) return notChecked(`${url} is not on S3`);
  const rules = await lifecycle.read(bucket);
  if (rules === undefined) return notChecked('the store does not tell of lifecycle rules');
  const prefix = key === '' ? '' : `${key}/`;
  const expiring = rules.filter((rule) => rule.expires && overlaps(rule, prefix));
  if (expiring.length === 0)
    return ok(`no lifecycle rule of bucket "${bucket}" expires objects below ${url}`);
  const names = expiring.map(({ id, prefix: of }) => `"${id ?? of}"`).join(', ');
  return failed(
    `lifecycle rule ${names} of bucket "${bucket}" expires objects below ${url}: segments are the tables' own files`,
    'limit the rule to other prefixes, and remove old rows by the platform (docs/maintenance.md)',
  );
}

function overlaps({ prefix }: LifecycleRule, other: string): boolean {
  return prefix.startsWith(other) || other.startsWith(prefix);
}
