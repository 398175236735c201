import { access, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Command, Option } from 'commander';
import { LAYOUT_PRESET_NAMES } from '../../lib/config/layout-presets.ts';
import { RegistrarError } from '../../lib/errors.ts';
import { checkConfig } from '../../lib/wire/configuration.ts';
import { helpText } from '../help-text.ts';
import { type Answers, configurationFile, deploymentFile, TOKEN_VARIABLE } from './init-files.ts';
import { notificationsCommand } from './init-notifications.ts';
import { answersTo, type InitFlags } from './init-questions.ts';

interface Flags extends InitFlags {
  readonly dir: string;
  readonly force?: true;
  readonly json?: true;
}

const CONFIGURATION = 'registrar.yaml';
const DEPLOYMENT = { aws: 'deployment.yaml', google: 'deployment.tfvars' };

/** `iceberg-registrar init`, and `init notifications`. */
export function initCommand(): Command {
  const command = new Command('init')
    .description(
      `Write a commented ${CONFIGURATION} and the parameters of its deployment (${DEPLOYMENT.aws} for the AWS stack, ${DEPLOYMENT.google} for Terraform on Google Cloud). On a terminal it asks for whatever is required and not given as an option.`,
    )
    .addOption(
      new Option('--cloud <cloud>', 'where to deploy; by default the cloud of --url').choices([
        'aws',
        'google',
      ]),
    )
    .option('--url <url>', 'where segments are uploaded: s3://bucket/prefix or gs://bucket/prefix')
    .option(
      '--layout <layout>',
      `how keys are laid out: the name of a shipper (${LAYOUT_PRESET_NAMES.join(', ')}) or a template such as {url}/{dataset}/…`,
    )
    .option(
      '--from <datasets>',
      'datasets to register, separated by commas; by default all (required for firehose)',
    )
    .option(
      '--table-location <template>',
      'where tables are created, such as s3://lake/tables/{dataset}; by default beside the segments (required for aiven)',
    )
    .option('--catalog-uri <uri>', 'URI of the Iceberg REST catalog')
    .option('--namespace <name>', 'namespace of the tables')
    .option(
      '--token-secret <name>',
      "name of the secret, in the cloud's secret manager, that holds the catalog token",
    )
    .option('--create-table', 'create missing tables from their first segment')
    .option('--freshness <duration>', 'age at which a table counts as stale, such as 15m')
    .option('--stage <name>', 'name of the deployment', 'prod')
    .option('--region <region>', 'region of the bucket and the deployment')
    .option('--project <id>', 'Google Cloud project')
    .option('--dir <folder>', 'where to write', '.')
    .option('--force', 'overwrite existing files')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      helpText(
        [
          'iceberg-registrar init',
          'iceberg-registrar init --url s3://lake/landing --catalog-uri https://catalog.example.com/iceberg --namespace analytics',
          'iceberg-registrar init --url gs://lake/landing --layout spark --catalog-uri https://catalog.example.com/iceberg --namespace analytics --project my-project --region europe-west1',
        ],
        '0 success, 1 failure (the message says why), 130 Ctrl-C or Ctrl-D at a question',
      ),
    )
    .action(writeFiles);
  command.addCommand(notificationsCommand());
  return command;
}

async function writeFiles(flags: Flags): Promise<void> {
  const answers = await answersTo(flags);
  const configuration = path.join(flags.dir, CONFIGURATION);
  const deployment = path.join(flags.dir, DEPLOYMENT[answers.cloud]);
  const files = [
    [configuration, configurationFile(answers)],
    [deployment, deploymentFile(answers, CONFIGURATION)],
  ] as const;
  await checkConfig(files[0][1], { [TOKEN_VARIABLE]: 'unread' });
  for (const [file] of files) {
    if (!flags.force && (await exists(file))) {
      throw new RegistrarError(
        'config.invalid',
        `Cannot write "${file}": it exists already; choose another --dir, or use --force`,
      );
    }
  }
  try {
    await mkdir(flags.dir, { recursive: true });
    for (const [file, text] of files) await writeFile(file, text);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const reason = code === 'EEXIST' || code === 'ENOTDIR' ? 'a file is where a folder should be' : message;
    throw new RegistrarError(
      'config.invalid',
      `Cannot write to "${flags.dir}": ${reason}; choose another --dir`,
      { cause },
    );
  }
  if (flags.json) console.log(JSON.stringify({ written: [configuration, deployment] }));
  else
    console.log(`Wrote ${configuration} and ${deployment}\n${nextSteps(answers, configuration, deployment)}`);
}

function nextSteps({ cloud, tokenSecret }: Answers, configuration: string, deployment: string): string {
  const token = cloud === 'google' && tokenSecret !== undefined ? `${TOKEN_VARIABLE}=… ` : '';
  const check = `Check it:  ${token}REGISTRAR_CONFIG=${configuration} npx iceberg-registrar doctor`;
  if (cloud === 'aws')
    return `${check}\nThen see what would be deployed:  npm run build && npm run synth -- ${deployment}`;
  const [config, parameters] = [path.resolve(configuration), path.resolve(deployment)];
  return `${check}\nThen see what would be deployed:  npm run build && cd infra/google && terraform init && terraform plan -var-file=${parameters} -var "config=$(cat ${config})"`;
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
