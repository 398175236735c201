import { readFile } from 'node:fs/promises';
import path from 'node:path';
import * as v from 'valibot';
import { parse } from 'yaml';
import { parseEntries, type RawSettings } from '../lib/config/document.ts';
import type { Entry } from '../lib/config/entry.ts';
import { duration } from '../lib/config/kinds.ts';
import { loadConfig } from '../lib/config/load-config.ts';
import { didYouMean } from '../lib/config/nearest.ts';
import { stageRules } from '../lib/config/stage.ts';
import { RegistrarError } from '../lib/errors.ts';

const count = v.pipe(v.number(), v.integer(), v.minValue(1));
const text = v.pipe(v.string(), v.nonEmpty());

/** CloudWatch looks back at most one day, and an alarm waits for three checks. */
const MOST_HEALTH_MINUTES = 480;
/** Each alarm is billed. */
const MOST_TABLE_ALARMS = 100;

/** SQS searches only the first 120,000 messages of a FIFO queue for free groups. */
const FIFO_DEPTH_ALARM = 50_000;

const deploymentSchema = v.strictObject({
  /** Part of every name, so that several deployments share an account. */
  stage: v.pipe(v.string(), v.regex(stageRules.aws.pattern, stageRules.aws.rule)),
  /** The registrar's configuration, relative to this file. */
  config: text,
  account: v.exactOptional(v.pipe(v.string(), v.regex(/^\d{12}$/, 'must be 12 digits in quotes'))),
  region: v.exactOptional(text),
  /** How the bucket notifies: by itself, or through EventBridge. */
  notifications: v.exactOptional(v.picklist(['bucket', 'eventbridge']), 'bucket'),
  /** Suffix of the keys that are segments. Without one, the registrar's own files would trigger notifications. */
  suffix: v.exactOptional(v.string(), '.parquet'),
  /** Locations of tables outside every `url` and `table_location`. */
  table_locations: v.exactOptional(v.array(v.pipe(v.string(), v.regex(/^s3:\/\/[^/]+/))), []),
  /** Most concurrent executions of each function. `reserved` sets them aside from the account's limit. */
  concurrency: v.exactOptional(
    v.strictObject({
      route: v.exactOptional(v.pipe(count, v.minValue(2)), 2),
      register: v.exactOptional(v.pipe(count, v.minValue(2)), 50),
      reserved: v.exactOptional(v.boolean(), true),
    }),
    {},
  ),
  /** Seconds. */
  route: v.exactOptional(
    v.strictObject({
      window: v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(300)), 10),
      timeout: v.exactOptional(v.pipe(count, v.maxValue(900)), 60),
      visibility: v.exactOptional(count, 370),
    }),
    {},
  ),
  /** Seconds. */
  register: v.exactOptional(
    v.strictObject({
      timeout: v.exactOptional(v.pipe(count, v.maxValue(900)), 60),
      visibility: v.exactOptional(count, 360),
    }),
    {},
  ),
  /** Minutes between two health checks of every table. */
  health_minutes: v.exactOptional(v.pipe(count, v.maxValue(MOST_HEALTH_MINUTES)), 5),
  /** Hours between two comparisons of the store with the tables. */
  reconcile_hours: v.exactOptional(count, 24),
  /** An SNS topic for the alarms. */
  alarm_topic_arn: v.exactOptional(text),
  fifo_depth_alarm: v.exactOptional(count, FIFO_DEPTH_ALARM),
  /** Tables with their own freshness alarm: `analytics.orders` → the age of the newest snapshot that triggers it, `15m`. */
  table_freshness: v.exactOptional(
    v.pipe(
      v.record(text, duration),
      v.check(
        (tables) => Object.keys(tables).length <= MOST_TABLE_ALARMS,
        `must name at most ${MOST_TABLE_ALARMS} tables; "freshness" in the configuration is for all of them`,
      ),
    ),
    {},
  ),
  /** Encrypts queues and logs; its policy must allow s3, events and logs of this account to use it. */
  kms_key_arn: v.exactOptional(text),
  /** Keys that the functions only decrypt with: those of segments whose shipper encrypts with its own, those of secrets. */
  decrypt_key_arns: v.exactOptional(v.array(text), []),
  vpc: v.exactOptional(
    v.strictObject({
      id: text,
      availability_zones: v.pipe(v.array(text), v.nonEmpty()),
      subnet_ids: v.pipe(v.array(text), v.nonEmpty()),
      security_group_ids: v.pipe(v.array(text), v.nonEmpty()),
    }),
  ),
});

/** A deployment's parameters as written in `deployment.yaml`, defaults applied. */
export type Deployment = v.InferOutput<typeof deploymentSchema>;

/** A secret that the configuration refers to, which the functions must be allowed to read. */
export interface SecretReference {
  readonly store: 'secretsmanager' | 'ssm';
  readonly name: string;
}

/** The configuration of a function. */
export interface FunctionConfig {
  /** JSON, secrets as references. */
  readonly configText: string;
  readonly secrets: readonly SecretReference[];
}

/** A deployment with the configuration of what it deploys. */
export interface Deployable {
  readonly deployment: Deployment;
  readonly entries: readonly Entry[];
  readonly config: FunctionConfig;
  /** Without the catalog's credentials: route never calls the catalog. */
  readonly routeConfig: FunctionConfig;
}

const { concurrency, route, register } = deploymentSchema.entries;
const PARAMETERS = [deploymentSchema, concurrency.wrapped, route.wrapped, register.wrapped].flatMap(
  ({ entries }) => Object.keys(entries),
);

/** Checks parameters and applies defaults. @throws `config.invalid` with every problem */
export function readDeployment(parameters: unknown): Deployment {
  const result = v.safeParse(deploymentSchema, parameters);
  if (result.success) return result.output;
  const problems = result.issues.map((issue) => {
    const at = v.getDotPath(issue) ?? 'the file';
    return issue.type === 'strict_object' && issue.expected === 'never'
      ? `- ${at}: there is no such parameter${didYouMean(at.split('.').at(-1) ?? '', PARAMETERS)}`
      : `- ${at}: ${issue.message}`;
  });
  throw new RegistrarError(
    'config.invalid',
    ['Cannot use the deployment parameters:', ...problems].join('\n'),
  );
}

/** Reads a `deployment.yaml` and the configuration it names. @throws `config.invalid` with every problem */
export async function loadDeployable(file: string): Promise<Deployable> {
  const deployment = readDeployment(parseYaml(file, await readText(file)));
  return deployableOf(deployment, await readText(path.resolve(path.dirname(file), deployment.config)));
}

function parseYaml(file: string, written: string): unknown {
  try {
    return parse(written);
  } catch (cause) {
    const [reason] = String((cause as Error).message).split('\n');
    throw new RegistrarError('config.invalid', `Cannot read the deployment parameters "${file}": ${reason}`, {
      cause,
    });
  }
}

/** Combines a deployment with a configuration as it was written. @throws `config.invalid` with every problem */
export async function deployableOf(deployment: Deployment, written: string): Promise<Deployable> {
  const settings = await parseEntries(written);
  const { entries, ...config } = await readConfig(settings);
  const { configText, secrets } = await readConfig(settings.map(withoutCatalogSecrets));
  return { deployment, entries, config, routeConfig: { configText, secrets } };
}

const FOR_THE_CATALOG_ALONE: readonly string[] = [
  'catalog_token',
  'catalog_credential',
  'catalog_headers',
  'catalog_ca_file',
  'catalog_client_cert',
  'catalog_client_key',
  'catalog_server_name',
];

function withoutCatalogSecrets(settings: RawSettings): RawSettings {
  return Object.fromEntries(Object.entries(settings).filter(([key]) => !FOR_THE_CATALOG_ALONE.includes(key)));
}

/**
 * Checks settings without reading any secret, and lists the secrets they refer to. Written as JSON, since a function's
 * environment has no room for comments.
 */
async function readConfig(
  settings: readonly RawSettings[],
): Promise<FunctionConfig & { readonly entries: readonly Entry[] }> {
  const configText = JSON.stringify(settings);
  const secrets: SecretReference[] = [];
  const { entries } = await loadConfig(
    { REGISTRAR_CONFIG: configText },
    {
      readFile: (name) => readFile(name, 'utf8'),
      readObject: (uri) => Promise.reject(new Error(`"${uri}" is not read while deploying`)),
      resolveSecret: async (store, name) => {
        // `ID#KEY` is one value of the secret `ID`.
        secrets.push({ store, name: name.replace(/#.*$/s, '') });
        return 'unread';
      },
    },
  );
  return { entries, configText, secrets };
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new RegistrarError(
      'config.invalid',
      `Cannot read "${file}": write one with "iceberg-registrar init"`,
      {
        cause,
      },
    );
  }
}
