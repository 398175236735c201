import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command, InvalidArgumentError } from 'commander';
import { RegistrarError } from '../../lib/errors.ts';
import { unroutedObject } from '../../lib/jobs/datasets/unrouted-object.ts';
import { type HealthReport, health } from '../../lib/jobs/health/health.ts';
import { healthPorts, type Wiring, wire } from '../../lib/wire.ts';
import { helpText } from '../help-text.ts';
import { printable, printableJson } from '../printable.ts';
import { isAllGood, type StatusReport, statusText } from './status-text.ts';

interface Flags {
  readonly json?: true;
  readonly html?: string;
  /** In seconds; `true` for the default. */
  readonly watch?: number | true;
}

const WATCH_SECONDS = 30;
const NEEDS_ATTENTION = 3;

/** `iceberg-registrar status [--html FILE] [--json] [--watch [SECONDS]]` */
export function statusCommand(): Command {
  return new Command('status')
    .description(
      'Show whether each table of REGISTRAR_CONFIG is available, fresh and healthy, and what to do if not. Only reads.',
    )
    .option('--html <file>', 'write a self-contained report with the trends of every table')
    .option('--json', 'print one JSON object')
    .option('--watch [seconds]', `repeat every so many seconds (${WATCH_SECONDS}) until Ctrl-C`, seconds)
    .addHelpText(
      'after',
      helpText(
        [
          'REGISTRAR_CONFIG=registrar.yaml iceberg-registrar status',
          'REGISTRAR_CONFIG=registrar.yaml iceberg-registrar status --html status.html --watch 60',
        ],
        '0 all is well, 3 something needs attention, 1 it could not be determined',
      ),
    )
    .action(async (flags: Flags) => {
      const wiring = await wire(process.env, process.stderr);
      const ended = new AbortController();
      if (flags.watch !== undefined) process.once('SIGINT', () => ended.abort());
      do {
        process.exitCode = await look(wiring, flags).catch(toldIfWatching(flags));
        if (flags.watch !== undefined)
          await pause(flags.watch === true ? WATCH_SECONDS : flags.watch, ended.signal);
      } while (flags.watch !== undefined && !ended.signal.aborted);
    });
}

/** Examines everything once and shows the report. @returns the exit code */
async function look(wiring: Wiring, flags: Flags): Promise<number> {
  const trends = flags.json === true || flags.html !== undefined;
  const found = await health(healthPorts(wiring), { trends });
  const unrouted = found.tables.length === 0 ? await unroutedIn(wiring, found) : undefined;
  const report = { ...found, ...(unrouted !== undefined && { unrouted }) };
  await show(report, flags);
  return isAllGood(report) ? 0 : NEEDS_ATTENTION;
}

/** Looks only where listing works: the others are part of the report. */
function unroutedIn(wiring: Wiring, { unlisted }: HealthReport): Promise<string | undefined> {
  const listed = wiring.entries.filter(({ url }) => !unlisted.some((entry) => entry.url === url));
  return unroutedObject(listed, wiring);
}

/** While watching, prints an error and continues; rethrows an error that cannot go away by itself. */
function toldIfWatching({ watch }: Flags): (error: unknown) => number {
  return (error) => {
    if (watch === undefined || !(error instanceof RegistrarError) || error.code === 'config.invalid')
      throw error;
    console.error(`${error.code}: ${printable(error.message)}`);
    return 1;
  };
}

async function show(report: StatusReport, { json, html }: Flags): Promise<void> {
  if (html !== undefined) {
    const { statusPage } = await import('./status-page.ts');
    await writeFile(html, statusPage(report)).catch((cause: Error) => {
      throw new RegistrarError('config.invalid', `Cannot write the page to "${html}": ${cause.message}`, {
        cause,
      });
    });
  }
  console.log(json ? printableJson(report, 2) : statusText(report));
}

async function pause(forSeconds: number, signal: AbortSignal): Promise<void> {
  await sleep(forSeconds * 1000, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

function seconds(text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new InvalidArgumentError('It must be a number of seconds above 0.');
}
