/**
 * The time from the start of a process to its first commit: `npm run bench:cold -- [--runs N] [--without-peers] [--write-docs]`. Runs the
 * built register function, a minimal Node program with undici, and the peers alternately against SeaweedFS and Apache's fixture. Also
 * measures the initialisation, in all and by dependency. Exits non-zero when a target is missed; the last line is a summary.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { readCommandLine } from '../../local/command-line.ts';
import { install } from '../../test/integration/services/services.ts';
import { bundle } from '../../test/soak/bundle.ts';
import {
  type ContenderName,
  keepsLedger,
  registerEnvironment,
  startContender,
  tableOf,
} from '../side-by-side/contenders/contender.ts';
import { noHistory } from '../side-by-side/lakehouse/history.ts';
import { type Lakehouse, startLakehouse } from '../side-by-side/lakehouse/lakehouse.ts';
import { type Segment, upload } from '../side-by-side/lakehouse/segments.ts';
import { makeTable } from '../side-by-side/lakehouse/tables.ts';
import { writeDocumentation } from '../side-by-side/report/documentation.ts';
import { machine } from '../side-by-side/report/machine.ts';
import { sectionText, summaryText } from '../side-by-side/report/report.ts';
import { atLeast, atMost, type Figure, holds, type Section } from '../side-by-side/report/section.ts';
import { median, quantile } from '../side-by-side/report/statistics.ts';
import { shuffled } from '../side-by-side/shuffled.ts';
import { floorProgram } from './floor-program.ts';
import { initialisationProfile } from './initialisation-profile.ts';
import { processTime } from './process-time.ts';

const { values: options } = readCommandLine({
  options: {
    runs: { type: 'string', default: '7' },
    'without-peers': { type: 'boolean', default: false },
    'write-docs': { type: 'boolean', default: false },
  },
});
const DATASET = 'cold';
const peers: readonly ContenderName[] = options['without-peers'] ? [] : ['PyIceberg', 'Java'];
const committing: readonly ContenderName[] = ['ours', 'floor', ...peers];

/** Milliseconds from start to end, by program. */
type Times = ReadonlyMap<string, number[]>;

async function measure(lakehouse: Lakehouse, scratch: string, runs: number): Promise<Times> {
  const register = join(scratch, 'dist/register/index.mjs');
  const floor = join(scratch, 'floor.mjs');
  await build({
    entryPoints: [join(import.meta.dirname, 'floor.mjs')],
    outfile: floor,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
  });
  // The first commit is not counted. After it, services and files are warm, and every table has a snapshot.
  const segments = await upload(lakehouse, DATASET, runs + 1);
  for (const name of committing)
    await makeTable(lakehouse, tableOf(DATASET, name), noHistory, { ledger: keepsLedger(name) });

  const env = { ...registerEnvironment(lakehouse), NODE_OPTIONS: '--enable-source-maps' };
  const program = join(import.meta.dirname, 'register.mjs');
  const starts: Readonly<Record<string, (segment: Segment) => Promise<number>>> = {
    Node: () => processTime({ args: ['-e', 'console.log("done")'] }),
    initialisation: () => processTime({ args: [program, register], env }),
    ours: (segment) => processTime({ args: [program, register, JSON.stringify(event(segment))], env }),
    floor: async (segment) =>
      processTime(await floorProgram(floor, lakehouse, tableOf(DATASET, 'floor'), segment)),
    ...Object.fromEntries(
      peers.map((name) => [name, (segment: Segment) => peerTime(lakehouse, name, segment)]),
    ),
  };
  const times = new Map(Object.keys(starts).map((name): [string, number[]] => [name, []]));
  for (const [at, segment] of segments.entries()) {
    for (const name of shuffled(Object.keys(starts), `cold/${at}`)) {
      const ms = await starts[name]?.(segment);
      if (at > 0 && ms !== undefined) times.get(name)?.push(ms);
    }
  }
  return times;
}

async function peerTime(lakehouse: Lakehouse, name: ContenderName, segment: Segment): Promise<number> {
  const startedMs = performance.now();
  const contender = startContender(name, lakehouse);
  try {
    await contender.register(DATASET, [segment]);
    return performance.now() - startedMs;
  } finally {
    await contender.stop();
  }
}

/** The event with which the queue invokes the function. */
function event(segment: Segment) {
  const attributes = {
    ApproximateReceiveCount: '1',
    SentTimestamp: String(Date.now()),
    MessageGroupId: DATASET,
  };
  const body = JSON.stringify({ v: 1, segments: [segment] });
  const record = {
    messageId: segment.key,
    receiptHandle: segment.key,
    body,
    attributes,
    eventSource: 'aws:sqs',
  };
  return { Records: [record] };
}

function judge(times: Times): Section {
  const of = (name: string) => median(times.get(name) ?? []);
  const figures: Figure[] = [
    atMost('ours ÷ Node with undici', of('ours') / of('floor'), 1.4),
    atMost('initialisation ÷ Node', of('initialisation') / of('Node'), 3),
  ];
  const wanted: Readonly<Record<string, number>> = { PyIceberg: 2.7, Java: 6 };
  for (const peer of peers) {
    const limit = wanted[peer];
    if (limit === undefined) continue;
    figures.push(atLeast(`${peer} ÷ ours`, of(peer) / of('ours'), limit));
  }
  const rows = [...times].map(([what, all]) => ({
    what,
    runs: all.length,
    'p50 ms': median(all),
    'p95 ms': quantile(all, 0.95),
  }));
  return { id: 'cold', title: 'from the start of the process to its first commit', rows, figures };
}

const scratch = mkdtempSync(join(tmpdir(), 'iceberg-registrar-cold-'));
try {
  await bundle(scratch);
  if (peers.length > 0) await Promise.all([install('readers'), install('peers')]);
  const lakehouse = await startLakehouse();
  try {
    const section = judge(await measure(lakehouse, scratch, Number(options.runs)));
    const initialisation: Section = {
      id: 'initialisation',
      title: 'what initialisation runs, by dependency (sampled)',
      rows: await initialisationProfile(join(scratch, 'dist/register'), registerEnvironment(lakehouse)),
      figures: [],
    };
    console.log([section, initialisation].map(sectionText).join('\n\n'));
    if (options['write-docs']) writeDocumentation(machine(), [section, initialisation]);
    if (!section.figures.every(holds)) process.exitCode = 1;
    console.log(`\n${summaryText([section], [])}`);
  } finally {
    await lakehouse.close();
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
