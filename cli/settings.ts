import Table from 'cli-table3';
import { Command } from 'commander';
import { describeSettings } from '../lib/config/settings.ts';
import { settingsPage } from '../lib/config/settings-page.ts';
import { helpText } from './help-text.ts';

/** `iceberg-registrar settings` */
export function settingsCommand(): Command {
  return new Command('settings')
    .description(
      'Print every configuration key with its type, default and meaning; with --json its environment variable too',
    )
    .option('--json', 'print JSON')
    .option('--markdown', 'print the page docs/configuration.md')
    .addHelpText('after', helpText(['iceberg-registrar settings', 'iceberg-registrar settings --json']))
    .action(({ json, markdown }: { json?: true; markdown?: true }) => {
      if (markdown) process.stdout.write(settingsPage());
      else if (json) console.log(JSON.stringify(describeSettings(), null, 2));
      else console.log(table());
    });
}

function table(): string {
  const rows = new Table({
    head: ['key', 'type', 'default', 'meaning'],
    style: { head: [], border: [] },
    colWidths: [36, 14, 22, 60],
    wordWrap: true,
  });
  for (const { name, type, required, default: standard, doc } of describeSettings()) {
    rows.push([name, type, required ? 'required' : (standard ?? ''), doc]);
  }
  return rows.toString();
}
