/** Outcomes of `inspect --json`, and how they are compared with what the corpus and the golden files expect. */
import { inspectionJson } from '../../cli/inspect/inspection.ts';
import { type InspectOptions, inspect } from '../../lib/jobs/inspect.ts';
import { parseJson, stringifyJson } from '../../lib/spec/json.ts';
import { fakeStore } from '../fakes/store.ts';

type Json = Readonly<Record<string, unknown>>;
type Maps = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export interface Expectation {
  readonly refuse?: string;
  readonly orRefuse?: readonly string[];
  readonly messageMentions?: readonly string[];
  readonly skip?: 'empty';
  readonly anyOf?: readonly string[];
  readonly mayOmit?: Readonly<Record<string, readonly string[]>>;
}

/** What `inspect --json` prints of a file with these bytes. */
export async function outcomeOf(bytes: Uint8Array, options: Partial<InspectOptions> = {}): Promise<Json> {
  const store = fakeStore({ now: () => 0 });
  store.upload('s3://lake/segment.parquet', bytes);
  const formatVersion = options.formatVersion ?? 2;
  const inspection = await inspect(store, 's3://lake/segment.parquet', {
    formatVersion,
    fieldIds: 'checked',
    caseSensitiveNames: false,
    timestampMillis: 'refuse',
    maxFooterBytes: 64 * 1024 * 1024,
    ...options,
  });
  return parseJson(stringifyJson(inspectionJson(inspection, formatVersion))) as Json;
}

/** Why an outcome is not the expected one; undefined when it is. */
export function difference(outcome: Json, expected: Expectation): string | undefined {
  if (expected.anyOf) return undefined;
  if (expected.refuse !== undefined) {
    const codes = [expected.refuse, ...(expected.orRefuse ?? [])];
    const message = String(outcome['message']).toLowerCase();
    const isRefused = codes.includes(String(outcome['refuse']));
    const unmentioned =
      expected.messageMentions?.filter((word) => !message.includes(word.toLowerCase())) ?? [];
    return isRefused && unmentioned.length === 0
      ? undefined
      : `${stringifyJson(outcome)} instead of ${codes.join(' or ')}, mentioning ${unmentioned.join(', ')}`;
  }
  const { mayOmit = {}, ...exact } = expected;
  const wanted: Json = { ...(exact as Json) };
  for (const [map, ids] of Object.entries(mayOmit)) {
    const [given, all] = [(outcome as Maps)[map] ?? {}, (wanted as Maps)[map] ?? {}];
    const needed = Object.entries(all).filter(([id]) => !ids.includes(id) || id in given);
    Object.assign(wanted, { [map]: Object.fromEntries(needed) });
  }
  const members = new Set([...Object.keys(wanted), ...Object.keys(outcome)]);
  const unequal = [...members].filter((member) => canonical(outcome[member]) !== canonical(wanted[member]));
  return unequal.length === 0
    ? undefined
    : unequal
        .map((member) => `${member}: ${canonical(outcome[member])} instead of ${canonical(wanted[member])}`)
        .join('\n');
}

/** JSON with sorted members, white space inside of type names aside. */
function canonical(value: unknown): string {
  return stringifyJson(sorted(value)) ?? 'nothing';
}

function sorted(value: unknown): unknown {
  if (typeof value === 'string' && /^(decimal|fixed)/.test(value)) return value.replaceAll(' ', '');
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, sorted(member)]),
  );
}
