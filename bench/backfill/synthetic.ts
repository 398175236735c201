import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readManifestEntries } from '../../lib/append/manifest.ts';
import { pathIndex } from '../../lib/ledger/path-index.ts';
import type { Latencies } from './latencies.ts';
import { output } from './programs.ts';

/** What `simulate.ts` prints. */
interface Simulated {
  readonly snapshots: number;
  readonly virtualSeconds: number;
  readonly cpuSeconds: number;
  readonly peakMib: number;
}

/** A backfill of synthetic segments in a process of its own, and what the manifests that it wrote contain. */
export async function backfillSynthetic(
  segments: number,
  latencies: Latencies,
): Promise<Simulated & { readonly inManifests: number; readonly doubled: number }> {
  const folder = mkdtempSync(path.join(tmpdir(), 'backfill-'));
  const catalog = program('catalog-program.ts', [folder]);
  try {
    const uri = await new Promise<string>((resolve, reject) => {
      catalog.stdout.once('data', (line) => resolve(String(line).trim()));
      catalog.once('exit', (code) => reject(new Error(`The catalog ended with ${code}`)));
    });
    const child = program('simulate.ts', [String(segments), uri, folder], asCommandLine());
    child.stdin.end(JSON.stringify(latencies));
    const { stdout, stderr } = await output(child);
    if (child.exitCode !== 0)
      throw new Error(`The simulated backfill ended with ${child.exitCode}: ${stderr}`);
    return { ...(JSON.parse(stdout) as Simulated), ...counted(folder, segments) };
  } finally {
    catalog.kill();
    rmSync(folder, { recursive: true });
  }
}

interface Memory {
  readonly options: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** What the command line sets for its memory in its first line, and its cache of compiled code. */
function asCommandLine(): Memory {
  const [firstLine = ''] = readFileSync(path.join(import.meta.dirname, '../../cli/main.mjs'), 'utf8').split(
    '\n',
  );
  const words = firstLine.split(' ');
  const variables = words.filter((word) => /^\w+=/.test(word)).map((word) => word.split('='));
  return {
    options: words.filter((word) => word.startsWith('--')),
    env: { ...Object.fromEntries(variables), NODE_COMPILE_CACHE: path.join(tmpdir(), 'node-compile-cache') },
  };
}

function program(name: string, values: readonly string[], memory: Memory = { options: [], env: {} }) {
  const file = path.join(import.meta.dirname, name);
  return spawn(process.execPath, [...memory.options, file, ...values], {
    env: { ...process.env, ...memory.env },
  });
}

function counted(
  folder: string,
  segments: number,
): { readonly inManifests: number; readonly doubled: number } {
  const registered = pathIndex(segments);
  let doubled = 0;
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.avro'))) {
    for (const { filePath } of readManifestEntries(readFileSync(path.join(folder, name)), name))
      if (!registered.add(filePath, 1)) doubled += 1;
  }
  return { inManifests: registered.size, doubled };
}
