// Bundles each function into dist/<function>/index.mjs (minified ESM with a source map) and prints its size and what it is made of.
// Exits non-zero where a bundle is over its budget.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';

const KIB = 1024;
/** What a function loads at its start, minified; a cold start pays for every KiB. */
const budgetsKib = { register: 900, route: 700 };

const functions = readdirSync('functions')
  .filter((file) => file.endsWith('.ts'))
  .map((file) => path.basename(file, '.ts'));
let overBudget = false;

for (const name of functions) {
  const { metafile } = await build({
    entryPoints: [`functions/${name}.ts`],
    outfile: `dist/${name}/index.mjs`,
    bundle: true,
    minify: true,
    sourcemap: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    // The SDK's ESM builds are smaller than what "main" names.
    mainFields: ['module', 'main'],
    // CommonJS packages inside an ESM bundle call require for Node's own modules.
    banner: {
      js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);",
    },
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  });
  const output = metafile.outputs[`dist/${name}/index.mjs`];
  const budget = budgetsKib[name];
  const kib = output.bytes / KIB;
  const verdict =
    budget === undefined ? 'no budget' : kib <= budget ? `within ${budget} KiB` : `OVER its ${budget} KiB`;
  overBudget ||= budget === undefined || kib > budget;
  console.log(`dist/${name}/index.mjs  ${kib.toFixed(0)} KiB, ${verdict}`);
  for (const [origin, bytes] of bytesByOrigin(output.inputs).slice(0, 12)) {
    console.log(`  ${(bytes / KIB).toFixed(1).padStart(7)} KiB  ${origin}`);
  }
}
process.exitCode = overBudget ? 1 : 0;

/** Bytes in the bundle by package, our own code as one. */
function bytesByOrigin(inputs) {
  const sums = new Map();
  for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
    const origin = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? 'iceberg-registrar';
    sums.set(origin, (sums.get(origin) ?? 0) + bytesInOutput);
  }
  return [...sums].sort(([, a], [, b]) => b - a);
}
