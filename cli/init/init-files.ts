import { stringify } from 'yaml';
import { describeSettings, type SettingDescription } from '../../lib/config/setting-descriptions.ts';
import { RegistrarError } from '../../lib/errors.ts';

/** The answers needed to start; everything else has a default. */
export type Answers = {
  readonly url: string;
  readonly layout: string | undefined;
  /** The datasets to register; undefined for all. */
  readonly from: readonly string[] | undefined;
  readonly tableLocation: string | undefined;
  readonly catalogUri: string;
  readonly namespace: string;
  /** Name of the secret that holds the catalog's token; undefined if the catalog needs none, or takes the role's signature. */
  readonly tokenSecret: string | undefined;
  readonly createTable: boolean;
  readonly freshness: string | undefined;
  readonly stage: string;
} & (
  | { readonly cloud: 'aws'; readonly region: string | undefined }
  | { readonly cloud: 'google'; readonly region: string; readonly project: string }
);

type OnGoogle = Answers & { readonly cloud: 'google' };

/** The environment variable in which Google's functions receive the token. */
export const TOKEN_VARIABLE = 'CATALOG_TOKEN';

/** `registrar.yaml`: the answers, and every other key with its default and meaning as a comment. */
export function configurationFile(answers: Answers): string {
  const values: Readonly<Record<string, unknown>> = definite({
    url: answers.url,
    layout: answers.layout,
    from: answers.from,
    catalog_uri: answers.catalogUri,
    namespace: answers.namespace,
    create_table: answers.createTable,
    catalog_token: tokenReference(answers),
    freshness: answers.freshness,
    ...(answers.cloud === 'google' ? googleValues(answers) : awsValues(answers)),
    ...(answers.tableLocation !== undefined && { table_location: answers.tableLocation }),
  });
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

function tokenReference({ cloud, tokenSecret }: Answers): string | undefined {
  if (tokenSecret === undefined) return undefined;
  return cloud === 'aws' ? `\${secretsmanager:${tokenSecret}}` : `\${env:${TOKEN_VARIABLE}}`;
}

/** AWS's own settings. A function knows its region, a laptop does not. */
function awsValues({ region }: Answers): Readonly<Record<string, unknown>> {
  return { store: region === undefined ? undefined : { region } };
}

/**
 * Google's own settings. Cloud Storage's notifications cannot filter by suffix, so what the registrar writes goes beside the
 * uploads, not among them.
 */
function googleValues(answers: OnGoogle): Readonly<Record<string, unknown>> {
  return {
    table_location: `${answers.url}-tables/{dataset}`,
    quarantine_url: `${answers.url}-quarantine`,
    queues: {
      registrations: `projects/${answers.project}/topics/iceberg-registrar-${answers.stage}-arrivals`,
    },
  };
}

/** The parameters of the deployment: `deployment.yaml` of the AWS stack, `deployment.tfvars` of Google's Terraform. */
export function deploymentFile(answers: Answers, configuration: string): string {
  return answers.cloud === 'aws' ? stackParameters(answers, configuration) : terraformVariables(answers);
}

function stackParameters({ stage, region }: Answers, configuration: string): string {
  return [
    '# Parameters of one deployment on AWS: docs/deploying-aws.md',
    stringify(definite({ stage, config: configuration, region })).trimEnd(),
    '',
    '# How the bucket notifies: bucket, or eventbridge',
    '# notifications: bucket',
    '# Suffix of the keys that are segments',
    '# suffix: .parquet',
    '# An SNS topic for the alarms',
    '# alarm_topic_arn: arn:aws:sns:eu-central-1:123456789012:pages',
    '# Tables with their own freshness alarm, and the age of the newest snapshot that triggers it',
    '# table_freshness: { analytics.orders: 15m }',
    '# Concurrent functions; reserved ones count against the limit of the account',
    '# concurrency: { route: 2, register: 50, reserved: true }',
    '',
  ].join('\n');
}

/** The Terraform variables. @throws `config.invalid` for a whole bucket, since nothing in it would be beside the uploads */
function terraformVariables({ url, stage, region, project, tokenSecret }: OnGoogle): string {
  const [, bucket = '', prefix = ''] = /^gs:\/\/([^/]+)\/(.*?)\/?$/s.exec(url) ?? [];
  if (prefix === '') {
    throw new RegistrarError(
      'config.invalid',
      `Cannot deploy for "${url}": give a prefix, such as gs://bucket/lake; tables and quarantine go beside it, where the bucket does not notify`,
    );
  }
  const variables = {
    project,
    region,
    stage,
    bucket,
    segments_prefix: `${prefix}/`,
    tables_prefix: `${prefix}-tables/`,
    quarantine_prefix: `${prefix}-quarantine/`,
  };
  return [
    '# Parameters of one deployment on Google Cloud: docs/deploying-google-cloud.md',
    ...Object.entries(variables).map(([name, value]) => `${name} = ${terraformText(value)}`),
    ...(tokenSecret === undefined ? [] : [`secrets = { ${TOKEN_VARIABLE} = ${terraformText(tokenSecret)} }`]),
    '',
    '# pull: a schedule empties the subscription. event: each upload calls the function; then tables and quarantine need a separate tables_bucket',
    '# delivery = "pull"',
    '# schedule = "* * * * *"',
    '# memory = "1Gi"',
    '',
  ].join('\n');
}

/** A Terraform string. `${` and `%{` begin a template unless they are doubled. */
function terraformText(text: string): string {
  return JSON.stringify(text).replaceAll(/[$%](?=\{)/g, '$&$&');
}

/** A setting as a comment; valid once its `#` is removed, if the setting has a default. */
function commented({ name, type, default: standard, doc }: SettingDescription): string {
  if (standard === undefined) return `# ${name}:   # ${doc} (${type})`;
  return `# ${name}: ${/^[\w.-]+$/.test(standard) ? standard : JSON.stringify(standard)}   # ${doc}`;
}

function definite(values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
