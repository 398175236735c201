import { stat } from 'node:fs/promises';
import { Command } from 'commander';
import pLimit from 'p-limit';
import { counted } from '../../lib/counted.ts';
import { RegistrarError } from '../../lib/errors.ts';
import { type BackfillOptions, backfill, SEGMENTS_A_COMMIT } from '../../lib/jobs/backfill/backfill.ts';
import type { BackfillPorts } from '../../lib/jobs/backfill/backfill-ports.ts';
import type { BackfillReport } from '../../lib/jobs/backfill/backfill-report.ts';
import { type DryRun, dryRun } from '../../lib/jobs/backfill/dry-run.ts';
import { inventoriedObjects, lakeAt, listedObjects } from '../../lib/jobs/backfill/lake.ts';
import { storeOfName } from '../../lib/wire/platform-services.ts';
import { type Wiring, wire } from '../../lib/wire.ts';
import { type TerminalLine, terminalLine } from '../../local/terminal-line.ts';
import { helpText } from '../help-text.ts';
import { printableJson } from '../printable.ts';
import { INTERRUPTED, stopSignal } from '../stop-signal.ts';
import { untoldLog } from '../untold-log.ts';
import { wholeNumber } from '../whole-number.ts';
import { progressLine, reportJson, reportText } from './backfill-report.ts';
import { dryRunJson, dryRunText } from './dry-run-report.ts';

interface Flags {
  readonly fromInventory?: string;
  readonly dryRun?: true;
  readonly sample?: number;
  readonly enqueue?: true;
  readonly commitSize: number;
  readonly concurrency: number;
  readonly json?: true;
}

/** How many segments of each table a dry run reads. */
const SAMPLE = 1_000;

/** Events that are not logged as they happen, since the report lists them at the end. */
const TOLD_AT_THE_END = ['quarantined', 'committed'];

/**
 * `backfill s3://…`: exits 0 when every segment is in its table or was sent, 3 when some are refused, 1 when a table could not
 * be written, 130 when stopped.
 */
export function backfillCommand(): Command {
  return new Command('backfill')
    .description(
      'Register the segments of an existing lake, thousands per snapshot. Ctrl-C stops it safely; run it again to continue.',
    )
    .argument('<uri>', 's3://bucket/directory, at or below a configured url')
    .option(
      '--from-inventory <file>',
      'read the objects from an S3 Inventory (its manifest.json, or one CSV file) instead of listing the bucket',
    )
    .option('--dry-run', 'report counts, schema changes, refusals, time and cost; write nothing')
    .option(
      '--sample <segments>',
      `with --dry-run: how many segments of each table to read (default: ${SAMPLE})`,
      wholeNumber,
    )
    .option(
      '--enqueue',
      'send unregistered segments to the registrations queue for the functions to register',
    )
    .option('--commit-size <segments>', 'segments per snapshot', wholeNumber, SEGMENTS_A_COMMIT)
    .option('--concurrency <reads>', 'footers to read at once', wholeNumber, 64)
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      helpText(
        [
          'iceberg-registrar backfill s3://lake/thadam/v1/plant-7/orders --dry-run',
          'iceberg-registrar backfill s3://lake --from-inventory s3://inventories/lake/daily/2026-01-31T01-00Z/manifest.json',
        ],
        '0 every segment is in its table or was sent, 3 some were refused or left, 1 a table could not be written, not every segment was reached or there is no object, 130 stopped by Ctrl-C',
      ),
    )
    .action(async (uri: string, flags: Flags) => {
      if (flags.sample !== undefined && !flags.dryRun) {
        throw new RegistrarError(
          'config.invalid',
          `Cannot backfill a sample of ${counted(flags.sample, 'segment')}: --sample is for --dry-run, which writes nothing`,
        );
      }
      if (flags.fromInventory !== undefined) await requireFile(flags.fromInventory);
      const line = terminalLine(process.stderr);
      const wiring = await wire(process.env, line);
      const ports = backfillPorts(flags, wiring);
      const source = sourceOf(uri, flags);
      const signal = stopSignal(line.write);
      if (flags.dryRun) {
        const forecast = await dryRun(source, ports, {
          segmentsACommit: flags.commitSize,
          sampleSize: flags.sample ?? SAMPLE,
          signal,
        });
        refuseNothing(uri, flags, forecast);
        console.log(flags.json ? printableJson(dryRunJson(forecast), 2) : dryRunText(forecast));
        process.exitCode = dryRunExitCode(forecast);
        return;
      }
      const report = await wiring.trace({ name: 'backfill' }, () =>
        backfill(source, ports, optionsOf(flags, signal, line)),
      );
      line.clear();
      refuseNothing(uri, flags, report);
      console.log(flags.json ? printableJson(reportJson(report), 2) : reportText(report));
      process.exitCode = exitCode(report);
    });
}

/** @throws `config.invalid` for a local inventory that is no file; of one in the store, its reader says what is wrong */
async function requireFile(inventory: string): Promise<void> {
  if (inventory.includes('://')) return;
  const found = await stat(inventory).catch(() => undefined);
  if (found?.isFile()) return;
  const problem =
    found === undefined
      ? 'there is no such file'
      : found.isDirectory()
        ? 'it is a directory'
        : 'it is no file';
  throw new RegistrarError(
    'config.invalid',
    `Cannot read the inventory "${inventory}": ${problem}; name a manifest.json of S3 Inventory in CSV, or a CSV file of bucket and key, here or as s3://bucket/key`,
  );
}

/** @throws `config.invalid` for a directory without segments, whose name or layout is probably misspelled */
function refuseNothing(
  uri: string,
  { fromInventory }: Flags,
  { listed, ignored, interrupted }: Pick<DryRun, 'listed' | 'ignored' | 'interrupted'>,
): void {
  if (listed > ignored || interrupted) return;
  if (listed > 0) {
    throw new RegistrarError(
      'config.invalid',
      `Cannot backfill: there is no segment among ${counted(listed, 'object')} below "${uri}"; check layout, pipeline and from of the configuration`,
    );
  }
  const where = fromInventory === undefined ? 'the store has' : `the inventory "${fromInventory}" has`;
  throw new RegistrarError(
    'config.invalid',
    `Cannot backfill: ${where} no object below "${uri}"; check the spelling`,
  );
}

function dryRunExitCode({ interrupted, tables, refused, left }: DryRun): number {
  if (interrupted) return INTERRUPTED;
  if (tables.some(({ error }) => error !== undefined)) return 1;
  return refused.length > 0 || Object.keys(left).some((end) => end !== 'discarded') ? 3 : 0;
}

function backfillPorts({ concurrency }: Flags, wiring: Wiring): BackfillPorts {
  return {
    ...wiring,
    footerLimit: pLimit(concurrency),
    log: untoldLog(wiring.log, TOLD_AT_THE_END),
  };
}

function sourceOf(uri: string, { fromInventory }: Flags) {
  return ({ entries, portsOf }: BackfillPorts) => {
    const lake = lakeAt(uri, entries);
    return fromInventory === undefined
      ? listedObjects(lake, portsOf)
      : inventoriedObjects(lake, fromInventory, portsOf, storeOfName(fromInventory, process.env));
  };
}

function optionsOf({ enqueue, commitSize }: Flags, signal: AbortSignal, line: TerminalLine): BackfillOptions {
  return {
    action: enqueue ? 'enqueue' : 'register',
    segmentsACommit: commitSize,
    signal,
    // The objects are counted only for the progress line, which needs a terminal.
    ...(process.stderr.isTTY && { onProgress: (progress) => line.show(progressLine(progress)) }),
  };
}

function exitCode({ interrupted, done, tables, refusedBy }: BackfillReport): number {
  if (interrupted) return INTERRUPTED;
  const refused = Object.values(refusedBy).reduce((sum, count) => sum + count, 0);
  const failed = (done['failed'] ?? 0) + (done['not reached'] ?? 0);
  if (tables.some(({ error }) => error !== undefined)) return 1;
  if (refused + failed > 0) return 3;
  return SEEN_TO.some((end) => (done[end] ?? 0) > 0) ? 3 : 0;
}

/** Outcomes that need somebody's attention. */
const SEEN_TO = ['waiting', 'rolled-back', 'not taken by the queue'];
