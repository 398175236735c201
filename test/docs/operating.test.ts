import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ERROR_CODES } from '../../lib/errors.ts';

const root = path.join(import.meta.dirname, '../..');
const page = (name: string) => readFileSync(path.join(root, 'docs', name), 'utf8');
/** The names in backquotes in the first column of a page's tables. */
const named = (text: string) =>
  new Set(
    text.split('\n').flatMap((line) => {
      const first = line.startsWith('|') ? (line.split('|')[1] ?? '') : '';
      return [...first.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
    }),
  );

test('Operating lists every event that is logged', () => {
  const sources = readdirSync(path.join(root, 'lib'), { recursive: true, encoding: 'utf8' });
  const logged = sources
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => [
      ...readFileSync(path.join(root, 'lib', file), 'utf8').matchAll(/\bevent: '([^']+)'/g),
    ])
    .map(([, event]) => event);
  expect(logged.length).toBeGreaterThan(20);
  expect([...new Set(logged)].filter((event) => !named(page('operating.md')).has(event ?? ''))).toEqual([]);
});

test('Operating and Quarantine explain every error code', () => {
  const explained = named(page('operating.md')).union(named(page('quarantine.md')));
  expect(ERROR_CODES.filter((code) => !explained.has(code))).toEqual([]);
});
