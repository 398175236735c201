import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

const docs = path.resolve(import.meta.dirname, '../../docs');
const page = readFileSync(path.join(docs, 'schema-evolution.md'), 'utf8');
const links = [...page.matchAll(/\[([^\]]+)\]\((\.\.\/test\/[^)]+)\)/g)].map(([, title = '', file = '']) => ({
  title,
  file: path.join(docs, file),
}));

describe('docs/schema-evolution.md', () => {
  test('every rule names its test', () => {
    const rows = page.split('\n').filter((line) => /^\| .* \| .+ \| /.test(line));
    const rules = rows.slice(
      1,
      rows.findIndex((line) => line.startsWith('| `register`')),
    );
    expect(rules.length).toBeGreaterThan(25);
    expect(rules.filter((rule) => !rule.includes('](../test/'))).toEqual([]);
  });

  test.each(links)('the test it names is there: $title', ({ title, file }) => {
    expect(existsSync(file)).toBe(true);
    const isPage = title.toLowerCase().includes('tests') || title === 'follow renames';
    if (!isPage) expect(readFileSync(file, 'utf8')).toContain(`'${title}`);
  });
});
