/**
 * Backfill compared with PyIceberg's `add_files`: `npm run bench:backfill -- [--segments 10000] [--runs 5] [--simulated 1000000]
 * [--write-docs]`.
 * Starts SeaweedFS and Apache's REST fixture. In each run the same files are registered in our table and in PyIceberg's, and as many new
 * files in ours again. Our time includes the start of the process, PyIceberg's only the call. Exits non-zero when a target is missed.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { s3Store } from '../../lib/drivers/s3.ts';
import { readCommandLine } from '../../local/command-line.ts';
import type { CatalogService } from '../../test/integration/services/service.ts';
import { install, startServices } from '../../test/integration/services/services.ts';
import { storeSettings } from '../../test/integration/services/settings.ts';
import { writeDocumentation } from '../side-by-side/report/documentation.ts';
import { machine } from '../side-by-side/report/machine.ts';
import { sectionText, summaryText } from '../side-by-side/report/report.ts';
import {
  atLeast,
  atMost,
  type Figure,
  holds,
  type Row,
  type Section,
} from '../side-by-side/report/section.ts';
import { median } from '../side-by-side/report/statistics.ts';
import { hourDirectory, ROWS_A_SEGMENT, segmentUris, upload } from './lake.ts';
import { recordLatencies } from './latencies.ts';
import { runOurs, runPyIceberg, startOurs } from './programs.ts';
import { backfillSynthetic } from './synthetic.ts';
import { tablePaths } from './table-paths.ts';

const { values: options } = readCommandLine({
  options: {
    segments: { type: 'string', default: '10000' },
    runs: { type: 'string', default: '5' },
    simulated: { type: 'string', default: '1000000' },
    'write-docs': { type: 'boolean', default: false },
  },
});
const segments = Number(options.segments);
const runs = Number(options.runs);
const simulated = Number(options.simulated);
const KILLS = 3;

await install('readers');
const { services, notRun, stop } = await startServices({ want: ['seaweedfsCatalog'] });
try {
  const service = services.seaweedfsCatalog;
  if (service === undefined)
    throw new Error(`Cannot start the services: ${Object.values(notRun).join('; ')}`);
  const url = `s3://${service.store.bucket}/in`;
  const lake = [segmentUris(url, 0, segments), segmentUris(url, 1, segments)];
  await upload(s3Store(storeSettings(service.store)), lake.flat());

  const { rows, figures } = await sideBySide(service, url);
  const section: Section = {
    id: 'backfill',
    title: `backfill of ${segments} segments of ${ROWS_A_SEGMENT} rows, ours from the start of its process`,
    rows,
    figures: [...figures, ...(await killed(service, url)), ...(await onVirtualClock(service, url))],
  };
  console.log(`\n${sectionText(section)}`);
  if (options['write-docs']) writeDocumentation(machine(), [section]);
  if (!section.figures.every(holds)) process.exitCode = 1;
  console.log(`\n${summaryText([section], [])}`);
} finally {
  await stop({ keepLogs: false });
}

async function sideBySide(service: CatalogService, url: string): Promise<Pick<Section, 'rows' | 'figures'>> {
  const seconds = { first: [] as number[], again: [] as number[], peer: [] as number[] };
  let peakMib = 0;
  for (let run = 0; run < runs; run += 1) {
    const first = await runOurs(service, `ours_${run}`, hourDirectory(url, 0));
    const peer = await runPyIceberg(service, `peer_${run}`, segmentUris(url, 0, segments));
    const again = await runOurs(service, `ours_${run}`, hourDirectory(url, 1));
    if (first.committed !== segments || again.committed !== segments)
      throw new Error(`backfill committed ${first.committed} and ${again.committed} of ${segments} each`);
    if (BigInt(peer.rows) !== BigInt(segments) * ROWS_A_SEGMENT)
      throw new Error(`PyIceberg's table has ${peer.rows} rows`);
    seconds.first.push(first.seconds);
    seconds.again.push(again.seconds);
    seconds.peer.push(peer.seconds);
    peakMib = Math.max(peakMib, first.peakMib, again.peakMib);
    console.log(
      `run ${run + 1}: ours ${shown(first)}, with ${segments} registered ${shown(again)}, PyIceberg ${shown(peer)}`,
    );
  }
  const ratios = seconds.peer.map((peer, run) => peer / (seconds.first[run] ?? 0));
  const growth = seconds.again.map((again, run) => again / (seconds.first[run] ?? 0));
  const row = (what: string, all: readonly number[]): Row => {
    return { what, runs, 'p50 s': median(all), 'segments a second': Math.round(segments / median(all)) };
  };
  return {
    rows: [
      row('ours', seconds.first),
      row('ours, as many registered before', seconds.again),
      row('PyIceberg', seconds.peer),
    ],
    figures: [
      atLeast('PyIceberg ÷ ours', median(ratios), 6),
      atMost('as many registered before ÷ none', median(growth), 1.2),
      atMost('our peak memory, MiB', peakMib, 256),
    ],
  };
}

/** Kills the backfill several times in the middle with SIGKILL, then lets it finish. */
async function killed(service: CatalogService, url: string): Promise<readonly Figure[]> {
  const namespace = 'killed';
  let midway = 0;
  for (let kill = 0; kill < KILLS; kill += 1) {
    const before = (await tablePaths(service, namespace)).length;
    const { child, ended } = startOurs(service, namespace, url, ['--json', '--commit-size', '250']);
    // After some commits, at an arbitrary point.
    while (child.exitCode === null && (await tablePaths(service, namespace)).length < before + 1_000)
      await sleep(50);
    await sleep(Math.random() * 500);
    child.kill('SIGKILL');
    await ended;
    const after = (await tablePaths(service, namespace)).length;
    if (after > before && after < 2 * segments) midway += 1;
    console.log(`killed with ${after} of ${2 * segments} segments registered, ${before} before`);
  }
  await runOurs(service, namespace, url);
  const found = await tablePaths(service, namespace);
  const distinct = new Set(found);
  const lost = [0, 1].flatMap((hour) => segmentUris(url, hour, segments)).filter((uri) => !distinct.has(uri));
  return [
    atLeast('times killed in the middle', midway, 1),
    atMost('lost after being killed', lost.length, 0),
    atMost('doubled after being killed', found.length - distinct.size, 0),
  ];
}

async function onVirtualClock(service: CatalogService, url: string): Promise<readonly Figure[]> {
  if (simulated === 0) return [];
  const latencies = await recordLatencies(service, hourDirectory(url, 0));
  const ran = await backfillSynthetic(simulated, latencies);
  console.log(
    `${simulated} synthetic segments: ${ran.snapshots} snapshots, ${(simulated / ran.virtualSeconds).toFixed(0)} segments a second of waiting at recorded latencies, ` +
      `${((ran.cpuSeconds / simulated) * 1e6).toFixed(0)} µs of CPU each`,
  );
  return [
    atMost(`lost of ${simulated} synthetic segments`, simulated - ran.inManifests, 0),
    atMost(`doubled of ${simulated} synthetic segments`, ran.doubled, 0),
    atMost(`peak memory in MiB, ${simulated} synthetic segments`, ran.peakMib, 256),
  ];
}

function shown({ seconds, peakMib }: { readonly seconds: number; readonly peakMib: number }): string {
  return `${seconds.toFixed(1)} s (${peakMib} MiB)`;
}
