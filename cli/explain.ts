import { Command } from 'commander';
import { counted } from '../lib/counted.ts';
import { type Explanation, explain } from '../lib/jobs/explain.ts';
import { readEvent } from './event-file.ts';
import { helpText } from './help-text.ts';
import { printable, printableJson } from './printable.ts';

/** `explain FILE.json`: shows what an event contains, without contacting any service. Exits 3 when none of it is understood. */
export function explainCommand(): Command {
  return new Command('explain')
    .description(
      'Show what an event contains: objects, what is ignored, what cannot be understood. Contacts no service.',
    )
    .argument('<file>', 'a JSON file with an event as a function receives it')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      helpText(
        ['iceberg-registrar explain events/s3-put.json'],
        '0 success, 3 everything in the event is rejected, 1 it could not be read',
      ),
    )
    .action(async (file: string, options: { readonly json?: boolean }) => {
      const explanation = explain(await readEvent(file));
      console.log(options.json ? printableJson(explanation, 2) : describe(explanation));
      if (isAllRejected(explanation)) process.exitCode = 3;
    });
}

function isAllRejected({ objects, ignored, rejected }: Explanation): boolean {
  return objects.length + ignored.length === 0 && rejected.length > 0;
}

function describe({ objects, ignored, rejected }: Explanation): string {
  const lines = [
    ...objects.map(({ messageId, bucket, key, ...hints }) => {
      const details = Object.entries(hints).map(([name, value]) => `${name} ${printable(String(value))}`);
      return { messageId, text: [`object    ${quoted(bucket)} ${quoted(key)}`, ...details].join(', ') };
    }),
    ...ignored.map(({ messageId, reason }) => ({ messageId, text: `ignored   ${reason}` })),
    ...rejected.map(({ messageId, code, message }) => ({
      messageId,
      text: `rejected  ${code}: ${printable(message)}`,
    })),
  ];
  const messages = [...Map.groupBy(lines, ({ messageId }) => messageId)].flatMap(([messageId, ofMessage]) => [
    messageId === null ? 'the event' : `message ${printable(messageId)}`,
    ...ofMessage.map(({ text }) => `  ${text}`),
  ]);
  const total = `${counted(objects.length, 'object')}, ${ignored.length} ignored, ${rejected.length} rejected`;
  return [...messages, total].join('\n');
}

function quoted(text: string): string {
  return `"${printable(text)}"`;
}
