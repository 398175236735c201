import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { InspectOptions } from '../../lib/jobs/inspect.ts';
import type { NameMapping } from '../../lib/spec/name-mapping.ts';
import { acceptanceCorpus as corpus } from '../acceptance-corpus.ts';
import { difference, type Expectation, outcomeOf } from './outcome.ts';

interface Case {
  readonly case: string;
  readonly nameMapping?: NameMapping;
  readonly expect: Expectation;
  readonly orExpect?: Expectation;
  readonly expectV3?: Expectation;
  readonly expectCaseSensitive?: Expectation;
  readonly expectNameMapping?: Expectation;
  readonly orExpectNameMapping?: Expectation;
}

describe.skipIf(!existsSync(corpus))('inspect', () => {
  const outcomes: string[] = [];
  test('meets the whole corpus', () => expect(outcomes.length).toBeGreaterThan(200));

  for (const folder of ['segments', 'parquet-testing']) {
    for (const file of existsSync(corpus) ? readdirSync(path.join(corpus, folder)) : []) {
      if (!file.endsWith('.json')) continue;
      const expected = JSON.parse(readFileSync(path.join(corpus, folder, file), 'utf8')) as Case;
      const bytes = readFileSync(path.join(corpus, folder, file.replace(/json$/, 'parquet')));
      const name = `${folder}/${file.replace(/\.json$/, '')} (${expected.case})`;

      const check = (
        title: string,
        options: Partial<InspectOptions>,
        ...anyOf: (Expectation | undefined)[]
      ) => {
        const expectations = anyOf.filter((expectation) => expectation !== undefined);
        if (expectations.length === 0) return;
        outcomes.push(name);
        test(`${name}: ${title}`, async () => {
          const outcome = await outcomeOf(bytes, options);
          const differences = expectations.map((expectation) => difference(outcome, expectation));
          if (differences.every((each) => each !== undefined)) expect.fail(differences.join('\nor '));
        });
      };
      check('format version 2', {}, expected.expect, expected.orExpect);
      check('format version 3', { formatVersion: 3 }, expected.expectV3);
      check('case-sensitive names', { caseSensitiveNames: true }, expected.expectCaseSensitive);
      check(
        'a name mapping',
        { fieldIds: 'by_name', ...(expected.nameMapping && { nameMapping: expected.nameMapping }) },
        expected.expectNameMapping,
        expected.orExpectNameMapping,
      );
    }
  }
});
