import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { htmlPage } from './html-page.ts';
import { markdownMatrix } from './markdown-matrix.ts';
import type { Certification } from './matrix.ts';

const docs = join(import.meta.dirname, '../docs');
const begin = '<!-- written by npm run certify: -->';
const end = '<!-- :written by npm run certify -->';

/** Writes a run into docs/: the matrix between the marks in compatibility.md, and every cell to compatibility.html. */
export function writePages(certification: Certification): void {
  const page = join(docs, 'compatibility.md');
  const text = readFileSync(page, 'utf8');
  const [before, rest] = text.split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined)
    throw new Error(`Cannot write "${page}": the marks "${begin}" and "${end}" are not there`);
  writeFileSync(page, `${before}${begin}\n\n${markdownMatrix(certification)}\n${end}${after}`);
  writeFileSync(join(docs, 'compatibility.html'), htmlPage(certification));
}
