import { stringify } from 'yaml';
import { describeSettings, type SettingDescription } from '../lib/config/settings.ts';

/** What somebody who starts has to say; the rest has defaults. */
export interface Answers {
  readonly url: string;
  readonly catalogUri: string;
  readonly namespace: string;
  /** Name of the secret that holds the catalog's token; none for a catalog without, or with the role's signature. */
  readonly tokenSecret?: string;
  readonly createTable: boolean;
  readonly freshness?: string;
  readonly stage: string;
  readonly region?: string;
}

/** `registrar.yaml`: what was answered, and every other key with its default and meaning as a comment. */
export function configurationFile(answers: Answers): string {
  const values: Readonly<Record<string, unknown>> = {
    url: answers.url,
    catalog_uri: answers.catalogUri,
    namespace: answers.namespace,
    create_table: answers.createTable,
    ...(answers.tokenSecret !== undefined && { catalog_token: `\${secretsmanager:${answers.tokenSecret}}` }),
    ...(answers.freshness !== undefined && { freshness: answers.freshness }),
  };
  const settings = describeSettings().filter(({ name }) => !name.includes('.') && name !== 'kind');
  const [chosen, others] = [
    settings.filter(({ name }) => name in values),
    settings.filter(({ name }) => !(name in values)),
  ];
  return [
    '# Configuration of iceberg-registrar. Secrets are references: they are read when a function starts, and never logged.',
    ...chosen.map(
      (setting) => `\n# ${setting.doc}\n${stringify({ [setting.name]: values[setting.name] }).trimEnd()}`,
    ),
    '\n# Everything else has a default; docs/configuration.md has the keys within maps.',
    ...others.map(commented),
    '',
  ].join('\n');
}

/** `deployment.yaml`: the parameters of the AWS stack. */
export function deploymentFile({ stage, region }: Answers, configuration: string): string {
  return [
    '# Parameters of one deployment on AWS: docs/deploying-aws.md',
    stringify({ stage, config: configuration, ...(region !== undefined && { region }) }).trimEnd(),
    '',
    '# How the notifications of the bucket come: bucket, or eventbridge',
    '# notifications: bucket',
    '# What segments end in',
    '# suffix: .parquet',
    '# An SNS topic for the alarms',
    '# alarm_topic_arn: arn:aws:sns:eu-central-1:123456789012:pages',
    '# Functions that run at once; reserved are taken out of the limit of the account',
    '# concurrency: { route: 2, register: 50, reserved: true }',
    '',
  ].join('\n');
}

/** Right as it stands once its `#` is taken away, where there is a default. */
function commented({ name, type, default: standard, doc }: SettingDescription): string {
  if (standard === undefined) return `# ${name}:   # ${doc} (${type})`;
  return `# ${name}: ${/^[\w.-]+$/.test(standard) ? standard : JSON.stringify(standard)}   # ${doc}`;
}
