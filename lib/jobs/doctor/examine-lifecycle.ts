import type { Entry } from '../../config/entry.ts';
import type { BucketLifecycle, LifecycleRule } from '../../ports/setup.ts';
import { type Found, failed, notChecked, ok } from './finding.ts';

/** A rule that expires objects deletes files of tables, since segments are registered in place and manifests lie beside them. */
export async function examineLifecycle(entry: Entry, lifecycle: BucketLifecycle): Promise<Found> {
  const places = placesOf(entry);
  const found = await Promise.all(
    places.map(async (place) => expiring(place, await lifecycle.read(place.bucket))),
  );
  if (found.includes(undefined)) return notChecked('the store does not tell of lifecycle rules');
  const problems = found.flatMap((problem) => problem ?? []);
  if (problems.length > 0) {
    return failed(
      `${problems.join('; ')}: these are the tables' own files`,
      'limit the rule to other prefixes, and remove old rows by the platform (docs/maintenance.md)',
    );
  }
  return ok(`no lifecycle rule expires objects below ${places.map(({ url }) => url).join(' or ')}`);
}

interface Place {
  readonly url: string;
  readonly bucket: string;
  readonly prefix: string;
}

/** The known places of segments and tables in the store of the segments. */
function placesOf({ url, table_location: location }: Entry): readonly Place[] {
  const tables = location === undefined || location === 'catalog' ? [] : [location.replace(/\{.*$/s, '')];
  return [`${url}/`, ...tables]
    .filter((place, at, all) => !all.some((other, before) => before < at && place.startsWith(other)))
    .flatMap((place) => {
      const [, scheme, bucket = '', prefix = ''] = /^(\w+):\/\/([^/]+)\/?(.*)$/s.exec(place) ?? [];
      return url.startsWith(`${scheme}://`) ? [{ url: place.replace(/\/$/, ''), bucket, prefix }] : [];
    });
}

/** The rules that delete objects of a place; undefined if the store does not support rules. */
function expiring(
  { url, bucket, prefix }: Place,
  rules: readonly LifecycleRule[] | undefined,
): readonly string[] | undefined {
  return rules
    ?.filter((rule) => rule.expires && (rule.prefix.startsWith(prefix) || prefix.startsWith(rule.prefix)))
    .map((rule) => `lifecycle rule ${nameOf(rule)} of bucket "${bucket}" expires objects below ${url}`);
}

/** Rules on Cloud Storage have no IDs. */
function nameOf({ id, prefix }: LifecycleRule): string {
  if (id !== undefined) return `"${id}"`;
  return prefix === '' ? 'for all objects' : `for "${prefix}"`;
}
