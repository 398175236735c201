import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Row } from '../side-by-side/report/section.ts';
import { processTime } from './process-time.ts';

const RUNS = 5;
const INTERVAL_US = 100;
/** Dependencies below this are not reported, since they are within the noise. */
const SHOWN_MS = 0.1;

interface CallFrame {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
  readonly columnNumber: number;
}

interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: CallFrame;
  }[];
  readonly samples: readonly number[];
  /** Microseconds. */
  readonly timeDeltas: readonly number[];
}

/**
 * How long a starting function runs the code of each dependency: the average milliseconds of V8's samples over a few starts, attributed
 * through the bundle's source maps. Reading and compiling the bundle counts as Node's own time.
 *
 * @param bundle the folder of the built function
 */
export async function initialisationProfile(
  bundle: string,
  env: Readonly<Record<string, string>>,
): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'iceberg-registrar-profile-'));
  try {
    const flags = ['--cpu-prof', `--cpu-prof-interval=${INTERVAL_US}`, `--cpu-prof-dir=${folder}`];
    const program = join(import.meta.dirname, 'register.mjs');
    for (let run = 0; run < RUNS; run += 1)
      await processTime({ args: [...flags, program, join(bundle, 'index.mjs')], env });
    return byDependency(readdirSync(folder).map((file) => readProfile(join(folder, file))));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readProfile(file: string): CpuProfile {
  return JSON.parse(readFileSync(file, 'utf8')) as CpuProfile;
}

function byDependency(profiles: readonly CpuProfile[]): readonly Row[] {
  const microseconds = new Map<string, number>();
  for (const { nodes, samples, timeDeltas } of profiles) {
    const owners = new Map(nodes.map(({ id, callFrame }) => [id, ownerOf(callFrame)]));
    for (const [at, id] of samples.entries()) {
      const owner = owners.get(id) ?? 'Node';
      microseconds.set(owner, (microseconds.get(owner) ?? 0) + (timeDeltas[at] ?? 0));
    }
  }
  return [...microseconds]
    .map(([code, sum]) => ({ code, ms: sum / 1000 / profiles.length }))
    .filter(({ code, ms }) => ms >= SHOWN_MS && code !== PROGRAM)
    .toSorted((a, b) => b.ms - a.ms);
}

/** Samples in this file belong to the bench itself, or are waiting. */
const PROGRAM = 'register.mjs';
const maps = new Map<string, SourceMap>();

function ownerOf({ functionName, url, lineNumber, columnNumber }: CallFrame): string {
  if (functionName === '(idle)') return PROGRAM;
  if (!url.startsWith('file:')) return 'Node';
  const file = fileURLToPath(url);
  if (!file.includes('/dist/register/')) return PROGRAM;
  const map = maps.get(file) ?? new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')));
  maps.set(file, map);
  const { originalSource = '' } = map.findEntry(lineNumber, columnNumber) as { originalSource?: string };
  const [, dependency] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(originalSource) ?? [];
  return dependency ?? 'iceberg-registrar';
}
