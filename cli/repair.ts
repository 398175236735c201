import { Command } from 'commander';
import { counted } from '../lib/counted.ts';
import { RegistrarError } from '../lib/errors.ts';
import { LONGEST_INVOCATION_MS } from '../lib/jobs/longest-invocation.ts';
import { repair } from '../lib/jobs/repair/repair.ts';
import { planRepair, type RepairAction, type RepairPlan } from '../lib/jobs/repair/repair-plan.ts';
import { formatIdentifier } from '../lib/spec/table-identifier.ts';
import { wire } from '../lib/wire.ts';
import { helpText } from './help-text.ts';
import { printable, printableJson } from './printable.ts';

interface Flags {
  readonly remove?: true;
  readonly replace?: true;
  readonly keepOne?: true;
  readonly yes?: true;
  readonly json?: true;
}

/** `repair URI --remove|--replace|--keep-one [--yes]`: exits 0 for a plan or a repair, 4 when there is nothing to do. */
export function repairCommand(): Command {
  return new Command('repair')
    .description(
      'Remove or replace the entry of one file in its table, in a separate commit. Shows the plan; --yes carries it out. Deletes no object.',
    )
    .argument('<uri>', 's3://bucket/key of the file')
    .option('--remove', 'remove the file from the table')
    .option('--replace', 'replace its entry by one for what the key holds now')
    .option('--keep-one', 'if the file is in the table several times, keep one entry')
    .option('--yes', 'carry out the plan')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      helpText(
        [
          'iceberg-registrar repair s3://lake/landing/orders/1.parquet --remove',
          'iceberg-registrar repair s3://lake/landing/orders/1.parquet --replace --yes',
        ],
        '0 planned or repaired, 4 nothing to do, 1 it could not be done',
      ),
    )
    .action(async (uri: string, flags: Flags) => {
      const ports = await wire(process.env, process.stderr);
      const plan = await planRepair(uri, actionOf(flags), ports);
      const hasWork = plan.removes > 0;
      const done = hasWork && flags.yes ? await repair(plan, ports, () => LONGEST_INVOCATION_MS) : undefined;
      const result = {
        ...planJson(plan),
        ...(done !== undefined && { snapshotId: done.snapshotId ?? null }),
      };
      console.log(
        flags.json ? printableJson(result, 2) : planText(plan, done?.snapshotId, flags.yes === true),
      );
      if (!hasWork) process.exitCode = 4;
    });
}

function actionOf({ remove, replace, keepOne }: Flags): RepairAction {
  const actions: RepairAction[] = [];
  if (remove) actions.push('remove');
  if (replace) actions.push('replace');
  if (keepOne) actions.push('keep-one');
  const [action, ...more] = actions;
  if (action !== undefined && more.length === 0) return action;
  throw new RegistrarError(
    'config.invalid',
    'Cannot tell what to do: give one of --remove, --replace and --keep-one',
  );
}

function planJson({ action, uri, dataset, entries, removes, replacement }: RepairPlan) {
  return {
    action,
    uri,
    table: formatIdentifier(dataset.table),
    branch: dataset.entry.branch,
    entries,
    removes,
    ...(replacement !== undefined && {
      replacement: { etag: replacement.read.etag, sizeBytes: replacement.read.sizeBytes },
    }),
  };
}

function whyNothing({ action, entries }: RepairPlan): string {
  if (entries.length === 0) return 'the table has no entry for the file';
  return action === 'replace' ? 'the key holds what its entry says' : 'the table has one entry for the file';
}

function planText(plan: RepairPlan, snapshotId: bigint | undefined, yes: boolean): string {
  const { action, uri, dataset, entries, removes, replacement } = plan;
  const lines = [
    `table    ${formatIdentifier(dataset.table)}, branch ${dataset.entry.branch}`,
    `file     ${uri}`,
    ...entries.map(
      ({ recordCount, fileSizeInBytes, manifestPath }) =>
        `entry    ${counted(recordCount, 'row')}, ${counted(fileSizeInBytes, 'byte')}, in ${manifestPath}`,
    ),
    `${action}: ${removes} of ${counted(entries.length, 'entry', 'entries')} removed${replacement === undefined ? '' : `, one of ${counted(replacement.read.sizeBytes, 'byte')} added`}`,
  ];
  if (removes === 0) lines.push(`nothing to do: ${whyNothing(plan)}`);
  else if (!yes) lines.push('nothing was changed: add --yes to carry this out');
  else
    lines.push(snapshotId === undefined ? 'another writer already did it' : `done in snapshot ${snapshotId}`);
  return lines.map(printable).join('\n');
}
