/**
 * Peak memory and time of one reconcile pass: a million listed objects against a table of as many live files, one object in
 * a thousand missing, with the heap that Lambda gives a function of 128 MB. `node bench/reconcile/reconcile.ts [objects]`
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';

const objects = process.argv[2] ?? '1000000';
const here = import.meta.dirname;
const directory = mkdtempSync(path.join(tmpdir(), 'reconcile-'));
try {
  execFileSync(process.execPath, [path.join(here, 'table.ts'), directory, objects], { stdio: 'inherit' });
  const bundle = path.join(directory, 'pass.mjs');
  await build({
    entryPoints: [path.join(here, 'pass.ts')],
    outfile: bundle,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    logLevel: 'warning',
    banner: {
      js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);",
    },
  });
  const heap = ['--max-semi-space-size=2', '--max-old-space-size=48'];
  execFileSync(process.execPath, [...heap, bundle, directory, objects], { stdio: 'inherit' });
} finally {
  rmSync(directory, { recursive: true });
}
