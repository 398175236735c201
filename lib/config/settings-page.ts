import { describeSettings, type SettingDescription } from './setting-descriptions.ts';

/** `docs/configuration.md`: every key, default and unit, from the table that validates them. */
export function settingsPage(): string {
  return `${[INTRODUCTION, table(describeSettings()), RULES].join('\n\n')}\n`;
}

const INTRODUCTION = `# Configuration

<!-- Written by: npx iceberg-registrar settings --markdown > docs/configuration.md -->

The configuration is one YAML document (JSON is YAML too) with one entry, or a list of entries that each have their own \`url\` and tables. \`REGISTRAR_CONFIG\` says where it is:

| \`REGISTRAR_CONFIG\` | |
|---|---|
| a path | a file, for instance in the bundle |
| \`s3://bucket/key\`, \`gs://bucket/key\` | an object, read with the function's own credentials |
| \`ssm:NAME\` | a parameter in AWS Systems Manager Parameter Store |
| \`gzip:…\` | the text, by gzip and in Base64: a deployment on AWS packs one of more than 3,500 bytes |
| anything with a line break, \`: \` or a leading \`{\` or \`[\` | the text itself |

Inside values, \`\${env:NAME}\`, \`\${file:PATH}\`, \`\${secretsmanager:ID}\` and \`\${ssm:NAME}\` are replaced by what they refer to, and that is never logged. \`\${secretsmanager:ID#KEY}\` is
one value of a secret that is a JSON object, which is what the AWS console creates; the same holds for \`ssm\`. A line break at the end of a value is left out. \`$\${\` is a literal \`\${\`. Any key can be overridden by an environment variable, nested ones with two underscores: \`REGISTRAR_STORE__ENDPOINT\`; it holds for every entry, and lists and maps are written as in YAML (\`REGISTRAR_FROM='[orders, events]'\`). All problems are
reported at once; for an unknown key the nearest known one is suggested.

\`\`\`yaml
url: s3://my-bucket/lake
catalog_uri: https://catalog.example.com/iceberg
catalog_token: \${secretsmanager:prod/catalog-token}
namespace: analytics
create_table: true
queues:
  registrations: https://sqs.eu-central-1.amazonaws.com/123456789012/registrations.fifo
\`\`\`

## Many datasets

One entry takes every dataset that its \`layout\` finds below its \`url\`: a new dataset needs no change, unless \`from\` lists them. A dataset has an entry of its own where its
settings differ. The first entry that takes a key has it, so an entry for everything else comes last, and what they have in common is written once, with YAML's merge key:

\`\`\`yaml
- &common
  url: s3://my-bucket/landing
  layout: "{url}/{dataset}/…"
  catalog_uri: https://catalog.example.com/iceberg
  namespace: analytics
  create_table: true
  from: [orders]
  partition_by: [day(placed_at)]
- <<: *common
  from: [clicks, views]
  partition_by: [hour(at)]
  freshness: 5m
- <<: *common
  from:                  # without a value: every other dataset
  partition_by: []
\`\`\`

Segments on S3 and on Google Cloud Storage are two deployments, each with a configuration of its own; both may commit to one catalog.

## Keys`;

const RULES = `## Rules that concern several keys

- Only keys below one of the entries' \`url\`s are ever read.
- At most one of \`catalog_token\`, \`catalog_credential\`, \`catalog_sigv4\` and \`catalog_google\` can be set.
- \`catalog_ca_file\` replaces the platform's trusted CAs, for the catalog only. It, \`catalog_client_cert\` with \`catalog_client_key\`, and \`catalog_server_name\` need an
  https catalog. Sending credentials over plain http to another machine gives a warning.
- An http:// store endpoint needs \`allow_http: true\`. Without an access key the role's own credentials are used.
- The layout must contain the names that \`table\` and \`table_location\` use, and must not place segments in the table's own \`data/\` or \`metadata/\`.
- A \`sinks:\` entry of \`kind: iceberg\` of the thadam registrar is accepted as it is.`;

function table(settings: readonly SettingDescription[]): string {
  return [
    '| key | type | default | meaning |',
    '|---|---|---|---|',
    ...settings.map(
      ({ name, type, required, default: standard, secret, doc }) =>
        `| \`${name}\` | ${cell(type)} | ${required ? '**required**' : defaultText(standard)} | ${cell(doc)}${secret ? ' (secret)' : ''} |`,
    ),
  ].join('\n');
}

function defaultText(standard: string | undefined): string {
  return standard === undefined ? '' : `\`${cell(standard)}\``;
}

function cell(text: string): string {
  // Else `bucket[16](id)` is a link.
  return text.replaceAll(/[|[]/g, '\\$&').replaceAll('\n', ' ');
}
