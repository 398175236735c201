import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { renderedPage } from './markdown.ts';
import { type NavigationLink, sitePage } from './page.ts';

const OTHER_PAGES = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md'];

/**
 * Renders the checkout's pages as a static site with the same tree. README is the front page, and every linked file is included.
 *
 * @param root folder of the checkout
 * @param target folder to write to; existing files in it remain
 * @returns the files written, relative to it
 */
export function buildSite(root: string, target: string): readonly string[] {
  const docs = readdirSync(path.join(root, 'docs')).filter((file) => file.endsWith('.md'));
  const pages = [...OTHER_PAGES, ...docs.map((file) => `docs/${file}`)];
  const addressOf = (file: string) => (pages.includes(file) ? addressOfPage(file, root) : file);
  const navigation = navigationOf(readFileSync(path.join(root, 'README.md'), 'utf8'));
  const written = new Map<string, string>();
  for (const page of pages) {
    const address = addressOf(page);
    const { title, html, links } = renderedPage(readFileSync(path.join(root, page), 'utf8'), (link) =>
      path.posix.relative(path.posix.dirname(address), addressOf(fileOf(page, link))),
    );
    written.set(address, sitePage({ title, html, address, page, navigation, addressOf }));
    for (const link of links) {
      const file = fileOf(page, link);
      if (!pages.includes(file)) copyLinked(root, file, target);
    }
  }
  for (const [address, text] of written) {
    mkdirSync(path.dirname(path.join(target, address)), { recursive: true });
    writeFileSync(path.join(target, address), text);
  }
  return [...written.keys()];
}

/** The address of a page. If a page and another file would share a name, both are kept: `compatibility.md.html`. */
function addressOfPage(page: string, root: string): string {
  if (page === 'README.md') return 'index.html';
  const address = page.replace(/\.md$/, '.html');
  return existsSync(path.join(root, address)) ? `${page}.html` : address;
}

/** The file in the checkout that a page's link leads to. */
function fileOf(page: string, link: string): string {
  return path.posix.normalize(path.posix.join(path.posix.dirname(page), link));
}

function copyLinked(root: string, file: string, target: string): void {
  cpSync(path.join(root, file), path.join(target, file), { recursive: true });
}

/** The pages in the order in which README links to them. */
function navigationOf(readme: string): readonly NavigationLink[] {
  const readOn = readme.slice(readme.indexOf('\n## Read on'));
  return [...readOn.matchAll(/\[([^\]]+)\]\(([^)#]+\.md)\)/g)].map(([, title = '', page = '']) => ({
    title,
    page,
  }));
}
