import { styleText } from 'node:util';
import Table from 'cli-table3';
import { Command } from 'commander';
import { examine, type Finding } from '../lib/jobs/doctor.ts';
import { stringifyJson } from '../lib/spec/json.ts';
import { queueSetup, wire } from '../lib/wire.ts';
import { printable } from './printable.ts';

const colours = { ok: 'green', warning: 'yellow', failed: 'red', 'not checked': 'dim' } as const;

/** `doctor [--table NAME]`: exits 0 when nothing failed, 1 when something did or the configuration is not valid. */
export function doctorCommand(): Command {
  return new Command('doctor')
    .description(
      'Checks the configuration against the living services; each failing line says what to change.',
    )
    .option('--table <name>', 'a table to load, in the namespace of each entry')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      '\nExample:\n  REGISTRAR_CONFIG=registrar.yaml iceberg-registrar doctor --table orders' +
        '\n\nOne small object is written below quarantine_url; nothing else is changed.' +
        '\n\nExit codes: 0 nothing failed, 1 something did',
    )
    .action(async ({ table, json }: { readonly table?: string; readonly json?: true }) => {
      const findings = await examine({ ...(await wire(process.env, process.stderr)), queueSetup }, table);
      console.log(json ? stringifyJson({ findings }, 2) : findingsTable(findings));
      if (findings.some(({ state }) => state === 'failed')) process.exitCode = 1;
    });
}

function findingsTable(findings: readonly Finding[]): string {
  const several = new Set(findings.map(({ entry }) => entry)).size > 1;
  const table = new Table({
    head: [...(several ? ['entry'] : []), 'check', 'state', 'found'],
    style: { head: [], border: [] },
    wordWrap: true,
    colWidths: [...(several ? [7] : []), 16, 13, 84],
  });
  for (const { entry, check, state, found, wayOut } of findings) {
    const text = wayOut === undefined ? printable(found) : `${printable(found)}\n→ ${printable(wayOut)}`;
    table.push([...(several ? [entry] : []), check, styleText(colours[state], state), text]);
  }
  return table.toString();
}
