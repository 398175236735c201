// node esbuild.config.mjs [folder]
// Bundles each function into dist/<function>/index.mjs (minified ESM with source maps) and prints its size and what it is made of; and
// the command line into dist/cli, which runs wherever Node does. A folder that is named takes the place of dist.
// What is imported lazily lies in chunks of its own. Exits non-zero where what is loaded at the start is over its budget.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';

// Relative, as esbuild reports what it wrote.
const target = path.relative('', process.argv[2] ?? 'dist');
const KIB = 1024;
/** What a function loads at its start, minified: a cold start pays for every KiB. */
const startBudgetsKib = { 'cloud-event': 510, health: 410, reconcile: 440, register: 510, route: 350 };
const LARGEST_SHOWN = 10;
const FRAMEWORK = '@google-cloud/functions-framework';

const bundled = {
  bundle: true,
  splitting: true,
  minify: true,
  outExtension: { '.js': '.mjs' },
  platform: 'node',
  target: 'node24',
  format: 'esm',
  // The SDK's ESM builds are smaller than what "main" names.
  mainFields: ['module', 'main'],
  // CommonJS packages inside an ESM bundle call require for Node's own modules.
  banner: {
    js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);",
  },
  // undici's own switch for whoever bundles it: its experimental parser stays out.
  define: { esbuildDetection: 'true' },
  plugins: [withoutUnused()],
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
};

/**
 * Of undici's dispatchers what no request of ours reaches, 240 KiB: HTTP/2 (never offered), the parser for processors without SIMD,
 * bodies that are forms (ours are bytes and texts). Only for the importers named: its fetch, behind a proxy's tunnel, has all of it.
 */
function withoutUnused() {
  const unused = {
    'client.js': ['./client-h2.js'],
    'client-h1.js': ['../llhttp/llhttp-wasm.js', '../web/fetch/body.js'],
    'request.js': ['../web/fetch/formdata', '../web/webidl'],
  };
  return {
    name: 'without-unused',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^\.{1,2}\// }, ({ path: wanted, importer }) => {
        const [, file] = /[/\\]undici[/\\]lib[/\\](?:core|dispatcher)[/\\]([^/\\]+)$/.exec(importer) ?? [];
        if (!unused[file]?.includes(wanted)) return undefined;
        return { path: `undici ${wanted}`, namespace: 'unused' };
      });
      onLoad({ filter: /.*/, namespace: 'unused' }, ({ path: left }) => ({
        contents: `module.exports = () => { throw new Error(${JSON.stringify(`${left} is not in this bundle`)}); };`,
      }));
    },
  };
}

const functions = readdirSync('functions')
  .filter((file) => file.endsWith('.ts'))
  .map((file) => path.basename(file, '.ts'));

for (const name of functions) {
  const outdir = `${target}/${name}`;
  rmSync(outdir, { recursive: true, force: true });
  const { metafile } = await build({
    entryPoints: { index: `functions/${name}.ts` },
    outdir,
    sourcemap: true,
    // Its registry is the one that serves the function, so there must be one copy of it.
    external: [FRAMEWORK],
    ...bundled,
  });
  if (name === 'cloud-event') writeFileSync(`${outdir}/package.json`, functionPackage());
  report(name, metafile.outputs, `${outdir}/index.mjs`);
}

rmSync(`${target}/cli`, { recursive: true, force: true });
await build({
  entryPoints: { 'iceberg-registrar': 'cli/main.mjs' },
  outdir: `${target}/cli`,
  // What reads the demo's tables back is native, and half a gigabyte.
  external: ['chdb'],
  ...bundled,
});

/** What Google Cloud installs beside the bundle. */
function functionPackage() {
  const { version, dependencies, engines } = JSON.parse(readFileSync('package.json', 'utf8'));
  return JSON.stringify({
    name: 'iceberg-registrar-cloud-event',
    version,
    type: 'module',
    main: 'index.mjs',
    engines,
    dependencies: { [FRAMEWORK]: dependencies[FRAMEWORK] },
  });
}

function report(name, outputs, entry) {
  const start = loadedAtStart(outputs, entry);
  const lazy = Object.keys(outputs).filter((file) => file.endsWith('.mjs') && !start.has(file));
  const startKib = sum([...start].map((file) => outputs[file].bytes)) / KIB;
  const lazyKib = sum(lazy.map((file) => outputs[file].bytes)) / KIB;
  const budget = startBudgetsKib[name] ?? 0;
  const fits = startKib <= budget;
  if (!fits) process.exitCode = 1;
  console.log(
    `${entry}  ${startKib.toFixed(0)} KiB at start (${fits ? 'within' : 'OVER'} its ${budget} KiB), ${lazyKib.toFixed(0)} KiB in lazy chunks`,
  );
  const inputs = [...start].map((file) => outputs[file].inputs);
  for (const [origin, bytes] of bytesByOrigin(inputs).slice(0, LARGEST_SHOWN)) {
    console.log(`${(bytes / KIB).toFixed(1).padStart(9)} KiB  ${origin}`);
  }
}

/** The entry and every chunk it imports statically. */
function loadedAtStart(outputs, entry, seen = new Set()) {
  if (seen.has(entry)) return seen;
  seen.add(entry);
  for (const { path: imported, kind } of outputs[entry].imports) {
    if (kind === 'import-statement' && outputs[imported] !== undefined)
      loadedAtStart(outputs, imported, seen);
  }
  return seen;
}

/** Bytes by package, our own code as one. */
function bytesByOrigin(inputsOfFiles) {
  const sums = new Map();
  for (const inputs of inputsOfFiles) {
    for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
      const origin = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? 'iceberg-registrar';
      sums.set(origin, (sums.get(origin) ?? 0) + bytesInOutput);
    }
  }
  return [...sums].sort(([, a], [, b]) => b - a);
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}
