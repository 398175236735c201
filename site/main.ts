/** `npm run site`: README and the documentation as a static site, in dist/site. */
import { rmSync } from 'node:fs';
import path from 'node:path';
import { buildSite } from './build.ts';

const root = path.resolve(import.meta.dirname, '..');
const target = path.join(root, 'dist/site');
rmSync(target, { recursive: true, force: true });
const pages = buildSite(root, target);
console.log(`${pages.length} pages: ${path.relative('', path.join(target, 'index.html'))}`);
