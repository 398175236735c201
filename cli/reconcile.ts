import { Command, InvalidArgumentError, Option } from 'commander';
import { RegistrarError } from '../lib/errors.ts';
import { unroutedObject } from '../lib/jobs/datasets/unrouted-object.ts';
import { LONGEST_INVOCATION_MS } from '../lib/jobs/longest-invocation.ts';
import { lostCommitsText } from '../lib/jobs/lost-commits.ts';
import {
  type ReconcileAllOptions,
  reconcileAll,
  type Unreconciled,
} from '../lib/jobs/reconcile/reconcile-all.ts';
import { instant } from '../lib/jobs/reconcile/reconcile-event.ts';
import type { ReconcileProgress } from '../lib/jobs/reconcile/reconcile-progress.ts';
import type { Reconciliation, ReportedReason } from '../lib/jobs/reconcile/reconcile-report.ts';
import { register } from '../lib/jobs/register/register.ts';
import { type Wiring, wire } from '../lib/wire.ts';
import { type TerminalLine, terminalLine } from '../local/terminal-line.ts';
import { compactTable } from './compact-table.ts';
import { errorJson } from './error-json.ts';
import { helpText } from './help-text.ts';
import { paceText } from './pace-text.ts';
import { printable, printableJson, printableLines } from './printable.ts';
import { INTERRUPTED, stopSignal } from './stop-signal.ts';
import { untoldLog } from './untold-log.ts';

interface Flags {
  readonly dataset?: string;
  readonly since?: string;
  readonly grace: number;
  readonly startAfter?: string;
  readonly enqueue?: true;
  readonly register?: true;
  readonly json?: true;
}

type Result = Reconciliation | Unreconciled;

type Finding = 'missing' | ReportedReason;

/** Reasons that need no attention: compaction leaves objects behind, and somebody settled the discarded ones. */
const EXPECTED: readonly string[] = ['deleted', 'discarded'] satisfies Finding[];

/** What to do about each of the others. */
const WAYS_OUT: Readonly<Record<string, string>> = {
  missing: 'reconcile --enqueue sends them to be registered, --register registers them from here',
  'rolled-back': 'a rollback took them out: nothing to do if they are to stay out',
  replaced: 'repair --replace registers what the key holds now; or put the old object back',
  unprovable: 'check whether their rows are in the table (docs/exactly-once.md#its-limits)',
  'engine-written': 'an engine wrote them, maybe as data of the table (docs/exactly-once.md#its-limits)',
  quarantined: 'quarantine list says why, and what to do',
  gone: 'queries that read them fail: put the objects back, or take each out of the table with repair --remove',
  'live-twice': 'repair --keep-one takes the second entry out of the table',
} satisfies Partial<Record<Finding, string>>;

/**
 * `reconcile`: exits 0 when store and tables agree, or will soon; 3 when something is missing or reported, or no object leads to a table; 1 when a dataset
 * could not be compared, 130 when stopped.
 */
export function reconcileCommand(): Command {
  return new Command('reconcile')
    .description(
      'Compare the object store with the tables. Segments that are provably in no snapshot can be enqueued or registered; everything else is reported. Ctrl-C stops it safely and prints how to resume.',
    )
    .option('--dataset <name>', 'only this dataset')
    .option('--since <time>', 'skip objects uploaded before this date (2026-01-31) or time')
    .option('--grace <minutes>', 'treat objects younger than this as still on their way', minutes, 60)
    .option('--start-after <uri>', 'resume where an earlier run stopped')
    .addOption(
      new Option('--enqueue', 'send missing segments to the registrations queue').conflicts('register'),
    )
    .option('--register', 'register missing segments in this process')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      helpText(
        [
          'iceberg-registrar reconcile --dataset orders',
          'iceberg-registrar reconcile --since 2026-01-31 --enqueue',
        ],
        '0 store and tables agree, or what was missing was sent or registered, 3 something is missing or reported, or no object leads to a table, 1 a dataset could not be compared, 130 stopped by Ctrl-C',
      ),
    )
    .action(async (flags: Flags) => {
      const line = terminalLine(process.stderr);
      const wiring = await wire(process.env, line);
      if (flags.startAfter !== undefined) requireReachable(flags.startAfter, wiring.entries);
      const ports = { ...wiring, log: untoldLog(wiring.log, ['reconciled']) };
      const signal = stopSignal(line.write);
      const results: Result[] = [];
      await ports.trace({ name: 'reconcile' }, async () => {
        const options = optionsOf(flags, signal, line);
        for await (const result of reconcileAll(ports, options, () => LONGEST_INVOCATION_MS)) {
          results.push(result);
          line.clear();
          if (!flags.json) console.log('error' in result ? failureText(result) : resultText(result));
        }
      });
      const unrouted =
        results.length === 0 && !signal.aborted ? await tellNothingFound(flags, ports) : undefined;
      if (flags.json) console.log(printableJson({ reconciled: results.map(resultJson) }, 2));
      process.exitCode = signal.aborted ? INTERRUPTED : exitCode(results, unrouted);
    });
}

/** @throws `config.invalid` for what no comparison can have ended at: it would be taken for the URI of a dataset that is gone */
function requireReachable(startAfter: string, entries: Wiring['entries']): void {
  if (entries.some(({ url }) => startAfter.startsWith(`${url}/`))) return;
  const urls = entries.map(({ url }) => `"${url}"`).join(', ');
  throw new RegistrarError(
    'config.invalid',
    `Cannot resume after "${startAfter}": it is no URI below any url of the configuration (${urls}); give the one that the earlier run printed`,
  );
}

/**
 * Says that there is no dataset.
 *
 * @returns an object that leads to no table, where the lake is not just empty
 * @throws `config.invalid` if a dataset was requested by name: without any object, the name is probably misspelled
 */
async function tellNothingFound(
  { dataset, json }: Flags,
  ports: Pick<Wiring, 'entries' | 'portsOf'>,
): Promise<string | undefined> {
  const urls = ports.entries.map(({ url }) => `"${url}"`).join(', ');
  if (dataset !== undefined) {
    throw new RegistrarError(
      'config.invalid',
      `Cannot compare dataset "${dataset}": no segment of it lies below ${urls}; check its name, url, layout and from`,
    );
  }
  const unrouted = await unroutedObject(ports.entries, ports);
  const example = unrouted === undefined ? '' : `; "${printable(unrouted)}" leads to no table`;
  const text = `no dataset found: no segment lies below ${printable(urls)} where layout and from of the configuration expect it${example}`;
  if (!json) console.log(text);
  // Beside the answer, which a program reads.
  else if (unrouted !== undefined) console.error(text);
  return unrouted;
}

function minutes(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value) && value >= 0) return value;
  throw new InvalidArgumentError('it must be a number of minutes, 0 or more.');
}

function optionsOf(
  { dataset, since, grace, startAfter, enqueue, register: registers }: Flags,
  signal: AbortSignal,
  line: TerminalLine,
): ReconcileAllOptions {
  return {
    signal,
    // The objects are counted only for the progress line, which needs a terminal.
    ...(process.stderr.isTTY && { onProgress: (progress) => line.show(progressText(progress)) }),
    missing: registers ? register : enqueue ? 'enqueue' : 'report',
    graceMs: grace * 60_000,
    ...(dataset !== undefined && { dataset }),
    ...(since !== undefined && { sinceMs: instant(since) }),
    ...(startAfter !== undefined && { startAfter }),
  };
}

function progressText(progress: ReconcileProgress): string {
  return `${printable(progress.directory)}: ${paceText(progress.listed, progress)}`;
}

function exitCode(results: readonly Result[], unrouted: string | undefined): number {
  if (results.some((result) => 'error' in result)) return 1;
  if (unrouted !== undefined) return 3;
  const asks = results.some(
    (result) =>
      !('error' in result) &&
      (result.lost !== undefined ||
        result.missing.count > seenTo(result) ||
        Object.entries(result.reported).some(
          ([reason, { count }]) => count > 0 && !EXPECTED.includes(reason),
        )),
  );
  return asks ? 3 : 0;
}

/** How many of the missing segments are now in the table or on their way. */
function seenTo({ done }: Reconciliation): number {
  return (done['sent'] ?? 0) + (done['committed'] ?? 0) + (done['already-registered'] ?? 0);
}

function resultJson(result: Result): unknown {
  if (!('error' in result)) return result;
  return { directory: result.directory, error: errorJson(result.error) };
}

function failureText({ directory, error }: Unreconciled): string {
  return `${printable(directory)}\n  ${error.code}: ${printableLines(error.message).replaceAll('\n', '\n  ')}`;
}

/** What a comparison is made for. The rest is left out where it is zero. */
const ALWAYS_SHOWN = ['listed', 'registered', 'missing'];

function resultText(result: Reconciliation): string {
  const { table, directory, listed, registered, ignored, recent, older, missing, reported, done, lost } =
    result;
  const { resumeAfter } = result;
  const counts = compactTable();
  const rows: readonly (readonly [string, number])[] = [
    ['listed', listed],
    ['registered', registered],
    ['ignored', ignored],
    ['recent', recent],
    ['older', older],
    ['missing', missing.count],
    ...Object.entries(reported).map(([reason, { count }]) => [reason, count] as const),
    ...Object.entries(done).map(([end, count]) => [`→ ${end}`, count] as const),
  ];
  for (const [name, count] of rows) if (count > 0 || ALWAYS_SHOWN.includes(name)) counts.push([name, count]);
  const samples = Object.entries({ missing, ...reported }).flatMap(([reason, { sample }]) => {
    if (EXPECTED.includes(reason) || sample.length === 0) return [];
    const found = sample.map((uri) => `${reason}  ${printable(uri)}`);
    const isSettled = reason === 'missing' && missing.count <= seenTo(result);
    return isSettled ? found : [...found, `    ${WAYS_OUT[reason]}`];
  });
  const warnings = lost === undefined ? [] : [`commits lost  ${printable(lostCommitsText(lost))}`];
  return [
    `${printable(table)}  ${printable(directory)}`,
    counts.toString(),
    ...warnings,
    ...samples,
    ...(resumeAfter === undefined ? [] : [`Stopped: resume with --start-after '${printable(resumeAfter)}'`]),
  ].join('\n');
}
