import type { StoreSettings } from '../config/entry.ts';
import type { BucketLifecycle, LifecycleRule } from '../ports/setup.ts';
import { type GcsPorts, gcsClient } from './gcs.ts';
import { jsonOf, member } from './google-client.ts';

/** Conditions that only apply to noncurrent versions. */
const NONCURRENT = ['daysSinceNoncurrentTime', 'noncurrentTimeBefore', 'numNewerVersions'];

/** The lifecycle rules of a bucket on Cloud Storage (`storage.buckets.get`), one for each prefix of a rule. */
export function gcsLifecycle(settings: StoreSettings, ports: GcsPorts): BucketLifecycle {
  const client = gcsClient(settings, ports);
  return {
    async read(bucket) {
      const attempted = `read the lifecycle rules of bucket "${bucket}"`;
      const path = `/storage/v1/b/${encodeURIComponent(bucket)}?fields=lifecycle`;
      const answer = await client.call(attempted, { method: 'GET', path });
      if (answer.status !== 200) {
        const denied = answer.status === 403 ? '; ask as somebody who has storage.buckets.get' : '';
        throw client.refused(attempted, answer, denied);
      }
      const rules = member(member(jsonOf(answer.body), 'lifecycle'), 'rule') ?? [];
      return (Array.isArray(rules) ? rules : []).flatMap(rulesOf);
    },
  };
}

function rulesOf(rule: unknown): readonly LifecycleRule[] {
  const condition = member(rule, 'condition');
  const expires =
    member(member(rule, 'action'), 'type') === 'Delete' &&
    member(condition, 'isLive') !== false &&
    NONCURRENT.every((name) => member(condition, name) === undefined);
  const prefixes = member(condition, 'matchesPrefix');
  return (Array.isArray(prefixes) ? prefixes : ['']).map((prefix) => ({ prefix: String(prefix), expires }));
}
