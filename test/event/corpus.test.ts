import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { explain } from '../../lib/jobs/explain.ts';

/** The acceptance corpus lies beside the checkout; its README tells what the members of the expectations mean. */
const corpus = new URL('../../../shared/corpus/events/', import.meta.url);

interface Expectation {
  readonly case: string;
  readonly title: string;
  readonly objects: readonly { readonly size?: number }[];
  readonly ignored: readonly string[];
  readonly rejected: readonly { readonly messageId: string | null; readonly code: string }[];
  readonly mayIgnore?: readonly string[];
  readonly throws?: boolean;
}

const names = existsSync(corpus)
  ? readdirSync(corpus)
      .filter((file) => file.endsWith('.expect.json'))
      .map((file) => file.slice(0, -'.expect.json'.length))
  : [];

describe.skipIf(names.length === 0)('explain: the corpus of events', () => {
  it.each(names)('%s', (name) => {
    const event = read(`${name}.json`);
    const expected = read(`${name}.expect.json`) as Expectation;
    if (expected.throws) {
      expect(() => explain(event)).toThrow(expect.objectContaining({ code: 'event.malformed' }));
      return;
    }
    const { objects, ignored, rejected } = explain(event);
    expect(objects).toEqual(expected.objects);
    expect(ignored.map(({ reason }) => reason)).toEqual(expected.ignored);
    expect(rejected.map(({ messageId, code }) => ({ messageId, code }))).toEqual(expected.rejected);
  });
});

function read(file: string): unknown {
  return JSON.parse(readFileSync(new URL(file, corpus), 'utf8'));
}
