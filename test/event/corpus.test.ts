import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { explain } from '../../lib/jobs/explain.ts';
import { acceptanceCorpus } from '../acceptance-corpus.ts';

/** Events and what they name. Each pair of files is a test: this project's own samples, and the acceptance corpus if it is there. */
const here = import.meta.dirname;
const corpusEvents = path.join(acceptanceCorpus, 'events');
const suites = [
  {
    title: 'the samples',
    events: path.join(here, '../../events'),
    expectations: path.join(here, 'samples'),
  },
  { title: 'the acceptance corpus', events: corpusEvents, expectations: corpusEvents },
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
  const names = existsSync(expectations)
    ? readdirSync(expectations).flatMap((file) => /^(.+)\.expect\.json$/.exec(file)?.[1] ?? [])
    : [];

  if (names.length === 0) it.skip('is not here', () => {});

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
  return JSON.parse(readFileSync(path.join(folder, file), 'utf8'));
}
