import { Command } from 'commander';
import { describeSettings } from '../lib/config/setting-descriptions.ts';
import { settingsPage } from '../lib/config/settings-page.ts';
import { helpText } from './help-text.ts';
import { wrappedTable } from './wrapped-table.ts';

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
  return wrappedTable(
    [{ head: 'key' }, { head: 'type', most: 12 }, { head: 'default' }, { head: 'meaning', most: 58 }],
    describeSettings().map(({ name, type, required, default: standard = '', doc }) => [
      name,
      type,
      required ? 'required' : standard,
      doc,
    ]),
  );
}
