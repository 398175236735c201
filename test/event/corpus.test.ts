import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { explain } from '../../lib/jobs/explain.ts';

/**
 * Events and what they name, each pair of files a test: the samples that are delivered with this project, and the acceptance corpus where
 * it lies beside the checkout.
 */
const suites = [
  { title: 'the samples', events: '../../events/', expectations: './samples/' },
  {
    title: 'the acceptance corpus',
    events: '../../../shared/corpus/events/',
    expectations: '../../../shared/corpus/events/',
  },
];

interface Expectation {
  readonly objects: readonly { readonly size?: number }[];
  readonly ignored: readonly string[];
  readonly rejected: readonly { readonly messageId: string | null; readonly code: string }[];
  /** `empty-object`: an object of no bytes may be ignored instead. This project leaves it to the segment stage. */
  readonly mayIgnore?: readonly string[];
  /** The invocation fails as a whole. */
  readonly throws?: boolean;
}

describe.each(suites)('explain: $title', ({ events, expectations }) => {
  const folder = new URL(expectations, import.meta.url);
  const names = existsSync(folder)
    ? readdirSync(folder).flatMap((file) => /^(.+)\.expect\.json$/.exec(file)?.[1] ?? [])
    : [];

  if (names.length === 0) it.skip('lies beside the checkout', () => {});

  it.each(names)('%s', (name) => {
    const event = read(events, `${name}.json`);
    const expected = read(expectations, `${name}.expect.json`) as Expectation;
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

describe('the samples', () => {
  it('each have an expectation', () => {
    const expected = readdirSync(new URL('./samples/', import.meta.url));
    const samples = readdirSync(new URL('../../events/', import.meta.url)).filter((file) =>
      file.endsWith('.json'),
    );
    expect(samples.length).toBeGreaterThan(4);
    expect(expected).toEqual(samples.map((file) => file.replace(/\.json$/, '.expect.json')));
  });
});

function read(folder: string, file: string): unknown {
  return JSON.parse(readFileSync(new URL(folder + file, import.meta.url), 'utf8'));
}
