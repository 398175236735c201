import { access, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import { Command } from 'commander';
import { RegistrarError } from '../lib/errors.ts';
import { mergeNotifications, wantedNotification } from '../lib/jobs/bucket-notifications.ts';
import { stringifyJson } from '../lib/spec/json.ts';
import { bucketNotifications, checkConfig, readConfig } from '../lib/wire.ts';
import { type Answers, configurationFile, deploymentFile } from './init-files.ts';

interface Flags {
  readonly url?: string;
  readonly catalogUri?: string;
  readonly namespace?: string;
  readonly tokenSecret?: string;
  readonly createTable?: true;
  readonly freshness?: string;
  readonly stage: string;
  readonly region?: string;
  readonly dir: string;
  readonly force?: true;
  readonly json?: true;
}

const CONFIGURATION = 'registrar.yaml';
const DEPLOYMENT = 'deployment.yaml';

/** `iceberg-registrar init`, and `init notifications`. */
export function initCommand(): Command {
  const command = new Command('init')
    .description(
      `Write a commented ${CONFIGURATION} and ${DEPLOYMENT}, asking on a terminal for what no flag says`,
    )
    .option('--url <url>', 'where the segments are uploaded: s3://bucket/prefix')
    .option('--catalog-uri <uri>', 'the Iceberg REST catalog')
    .option('--namespace <name>', 'of the tables')
    .option('--token-secret <name>', 'the secret of AWS Secrets Manager that holds the token of the catalog')
    .option('--create-table', 'create tables that are not there from their first segment')
    .option('--freshness <duration>', 'age of a table above which it is stale: 15m')
    .option('--stage <name>', 'name of the deployment', 'prod')
    .option('--region <region>', 'AWS region of the deployment')
    .option('--dir <folder>', 'where to write', '.')
    .option('--force', 'overwrite files that are there')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      '\nExamples:\n  iceberg-registrar init\n  iceberg-registrar init --url s3://lake/landing --catalog-uri https://catalog.example.com/iceberg --namespace analytics',
    )
    .action(writeFiles);
  command.addCommand(notificationsCommand());
  return command;
}

async function writeFiles(flags: Flags): Promise<void> {
  const answers = await ask(flags);
  const files = [
    [path.join(flags.dir, CONFIGURATION), configurationFile(answers)],
    [path.join(flags.dir, DEPLOYMENT), deploymentFile(answers, CONFIGURATION)],
  ] as const;
  await checkConfig(files[0][1]);
  for (const [file] of files) {
    if (!flags.force && (await exists(file))) {
      throw new RegistrarError(
        'config.invalid',
        `Cannot write "${file}": it is there already; name another --dir, or --force`,
      );
    }
  }
  await mkdir(flags.dir, { recursive: true });
  for (const [file, text] of files) await writeFile(file, text);
  const written = files.map(([file]) => file);
  if (flags.json) console.log(JSON.stringify({ written }));
  else console.log(`Wrote ${written.join(' and ')}\nNext: npm run build && npm run synth -- ${written[1]}`);
}

async function ask(flags: Flags): Promise<Answers> {
  const terminal = process.stdin.isTTY
    ? createInterface({ input: process.stdin, output: process.stderr })
    : undefined;
  const answer = async (known: string | undefined, flag: string, question: string): Promise<string> => {
    const text = known ?? (await terminal?.question(`${question}: `))?.trim();
    if (text !== undefined && text !== '') return text;
    throw new RegistrarError('config.invalid', `Cannot write a configuration without ${flag}: ${question}`);
  };
  try {
    const { tokenSecret, freshness, region } = flags;
    return {
      url: await answer(flags.url, '--url', 'Where are the segments uploaded (s3://bucket/prefix)?'),
      catalogUri: await answer(
        flags.catalogUri,
        '--catalog-uri',
        'Where is the Iceberg REST catalog (https://…)?',
      ),
      namespace: await answer(flags.namespace, '--namespace', 'Which namespace are the tables in?'),
      createTable: flags.createTable ?? false,
      stage: flags.stage,
      ...(tokenSecret !== undefined && { tokenSecret }),
      ...(freshness !== undefined && { freshness }),
      ...(region !== undefined && { region }),
    };
  } finally {
    terminal?.close();
  }
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

function notificationsCommand(): Command {
  return new Command('notifications')
    .description(
      'Show the notifications that the buckets should have: those they have, and ours to the arrivals queue. REGISTRAR_CONFIG names the configuration.',
    )
    .option('--stage <name>', 'name of the deployment', 'prod')
    .option('--suffix <suffix>', 'what segments end in', '.parquet')
    .option('--apply', 'put them; those of others are kept')
    .option('--json', 'print one JSON object')
    .addHelpText('after', '\nExit codes: 0 the buckets notify the queue, 3 they do not, 1 it cannot be told')
    .action(
      async ({
        stage,
        suffix,
        apply,
        json,
      }: {
        stage: string;
        suffix: string;
        apply?: true;
        json?: true;
      }) => {
        const { entries } = await readConfig(process.env);
        const results = [];
        for (const [index, entry] of entries.entries()) {
          const wanted = wantedNotification(entry);
          if (wanted === undefined) {
            throw new RegistrarError(
              'config.invalid',
              `Cannot notify anybody of "${entry.url}": set queues.arrivals to the URL of the arrivals queue, an output of the stack`,
            );
          }
          const notifications = bucketNotifications(entry);
          const id = `iceberg-registrar-${stage}${index === 0 ? '' : `-${index + 1}`}`;
          const merged = mergeNotifications(
            await notifications.read(wanted.bucket),
            { ...wanted, suffix },
            id,
          );
          if (apply && merged.state === 'added')
            await notifications.write(wanted.bucket, merged.configuration);
          results.push({
            bucket: wanted.bucket,
            state: apply ? 'current' : merged.state,
            configuration: merged.configuration,
          });
        }
        if (json) console.log(stringifyJson({ buckets: results }, 2));
        else
          for (const { bucket, state, configuration } of results)
            console.log(
              `${bucket}: ${state === 'current' ? 'as it should be' : 'to be added with --apply'}\n${stringifyJson(configuration, 2)}`,
            );
        process.exitCode = results.every(({ state }) => state === 'current') ? 0 : 3;
      },
    );
}
