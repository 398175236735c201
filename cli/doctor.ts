import { Command, Option } from 'commander';
import { examine } from '../lib/jobs/doctor/doctor.ts';
import type { Finding } from '../lib/jobs/doctor/finding.ts';
import { tryRegistration } from '../lib/jobs/doctor/trial.ts';
import { askDeployed } from '../lib/wire/deployed-doctor.ts';
import { doctorPorts, wire } from '../lib/wire.ts';
import { findingsTable } from './findings-table.ts';
import { helpText } from './help-text.ts';
import { printableJson } from './printable.ts';

interface Flags {
  readonly table?: string;
  readonly deployed?: string;
  readonly write?: true;
  readonly json?: true;
}

/** `doctor [--table NAME]`: exits 0 when nothing failed, 1 when something did or the configuration is not valid. */
export function doctorCommand(): Command {
  return new Command('doctor')
    .description(
      'Check the configuration against the running services; each failed check says what to change',
    )
    .option('--table <name>', 'also load this table, in the namespace of each entry')
    .addOption(
      new Option(
        '--deployed <function>',
        'have a deployed health function (name or ARN) run the checks, with its role, network and secrets',
      ).conflicts('write'),
    )
    .option(
      '--write',
      'also send one test message to each queue, and register one file in a new table with a unique name, which is left for you to drop',
    )
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      '\nUnless --deployed is given, one small object is written below quarantine_url. Only --write changes anything else.',
    )
    .addHelpText(
      'after',
      helpText(
        [
          'REGISTRAR_CONFIG=registrar.yaml iceberg-registrar doctor --table orders',
          'iceberg-registrar doctor --deployed iceberg-registrar-prod-health:live',
        ],
        '0 every check passed, 1 a check failed',
      ),
    )
    .action(async ({ json, ...flags }: Flags) => {
      const findings = await findingsOf(flags);
      console.log(json ? printableJson({ findings }, 2) : findingsTable(findings));
      if (findings.some(({ state }) => state === 'failed')) process.exitCode = 1;
    });
}

async function findingsOf({ table, deployed, write }: Flags): Promise<readonly Finding[]> {
  const about = table === undefined ? {} : { table };
  if (deployed !== undefined) return (await askDeployed(deployed, { doctor: about }, process.env)).findings;
  const ports = doctorPorts(await wire(process.env, process.stderr));
  return examine(ports, { ...about, ...(write && { trial: tryRegistration }) });
}
