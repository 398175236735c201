import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { buildSite } from '../../site/build.ts';

const root = path.resolve(import.meta.dirname, '../..');
const site = mkdtempSync(path.join(tmpdir(), 'site-'));
const pages = buildSite(root, site);
const textOf = (file: string) => readFileSync(path.join(site, file), 'utf8');
const linksOf = (page: string) =>
  [...textOf(page).matchAll(/(?:href|src)="([^"]+)"/g)].map(([, href = '']) => href);

test('the site has every page of the documentation, README first', () => {
  expect(pages).toContain('index.html');
  const docs = readdirSync(path.join(root, 'docs')).filter((file) => file.endsWith('.md'));
  expect(pages.filter((page) => page.startsWith('docs/'))).toHaveLength(docs.length);
});

test('every link of the site leads to a file and a heading that are there', () => {
  const broken = pages.flatMap((page) =>
    linksOf(page)
      .filter((href) => !/^[a-z]+:/.test(href))
      .flatMap((href) => {
        const [file = '', heading] = href.split('#');
        const target = file === '' ? page : path.posix.join(path.posix.dirname(page), file);
        if (!existsSync(path.join(site, target))) return [`${page}: ${href}`];
        const isThere = heading === undefined || textOf(target).includes(`id="${heading}"`);
        return isThere ? [] : [`${page}: ${href}`];
      }),
  );
  expect(broken).toEqual([]);
});

test('a page names where the reader is, and loads nothing from anywhere', () => {
  const page = textOf('docs/operating.html');
  expect(page).toContain('aria-current="page">Operating</a>');
  expect(page).toContain('id="tables-stale"');
  expect(page).not.toMatch(/<script|<link|src="https?:/);
});

test('a page that shares its name with a file does not replace it', () => {
  expect(textOf('docs/compatibility.html')).toBe(
    readFileSync(path.join(root, 'docs/compatibility.html'), 'utf8'),
  );
  expect(statSync(path.join(site, 'docs/compatibility.md.html')).size).toBeGreaterThan(0);
});
