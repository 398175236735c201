import type { RawSettings } from '../lib/config/document.ts';
import type { Entry } from '../lib/config/entry.ts';
import { describeSettings } from '../lib/config/setting-descriptions.ts';
import { takesOwnFiles } from '../lib/jobs/bucket-notifications.ts';
import { layoutRouter } from '../lib/route/layout.ts';
import { sampleUri } from '../lib/route/sample-uri.ts';
import { prefixesOf } from './bucket-prefixes.ts';
import { MAX_CONFIG_BYTES, variableOf } from './config-variable.ts';
import type { Deployable } from './deployment.ts';

/** AWS's recommendation, so that messages are not delivered again while a throttled invocation waits to run. */
const VISIBILITY_TIMES_TIMEOUT = 6;

/** The problems that prevent a deployment, each with the way out; empty if there are none. */
export function deploymentProblems(deployables: readonly Deployable[]): readonly string[] {
  return [...deployables.flatMap(problemsOf), ...sharedPrefixes(deployables)];
}

function problemsOf(deployable: Deployable): readonly string[] {
  const { stage } = deployable.deployment;
  const problems = [
    ...notificationProblems(deployable),
    ...timeProblems(deployable),
    ...regionProblems(deployable),
    ...deployable.entries.flatMap(entryProblems),
    ...locationProblems(deployable),
    ...keyProblems(deployable),
    ...secretProblems(deployable),
    ...configProblems(deployable),
  ];
  return problems.map((problem) => `stage "${stage}": ${problem}`);
}

/** The policy of a queue has at most twenty statements. One denies plain http, each rule of EventBridge adds one. */
const MAX_EVENTBRIDGE_BUCKETS = 19;

function notificationProblems({
  deployment: { suffix, notifications },
  entries,
}: Deployable): readonly string[] {
  const problems: string[] = [];
  if (takesOwnFiles(suffix)) {
    problems.push(
      `suffix "${suffix}" also matches the registrar's own files, whose notifications would never end; set the suffix of the segments, such as ".parquet"`,
    );
  }
  const buckets = new Set(prefixesOf(entries).map(({ bucket }) => bucket)).size;
  if (notifications === 'eventbridge' && buckets > MAX_EVENTBRIDGE_BUCKETS) {
    problems.push(
      `${buckets} buckets notify through EventBridge, and the policy of a queue has room for the rules of ${MAX_EVENTBRIDGE_BUCKETS}; say "notifications: bucket", or deploy some of the buckets as separate stages`,
    );
  }
  return problems;
}

function timeProblems({ deployment }: Deployable): readonly string[] {
  const { route, register, concurrency } = deployment;
  const problems: string[] = [];
  const least = {
    route: route.timeout * VISIBILITY_TIMES_TIMEOUT + route.window,
    register: register.timeout * VISIBILITY_TIMES_TIMEOUT,
  };
  for (const name of ['route', 'register'] as const) {
    const { visibility } = deployment[name];
    if (visibility < least[name]) {
      problems.push(
        `${name}.visibility of ${visibility} s is below ${least[name]} s, six times the timeout${name === 'route' ? ' and the window' : ''}: messages would be delivered again while still being processed; raise it`,
      );
    }
  }
  if (concurrency.register > 1000) {
    problems.push(
      `concurrency.register of ${concurrency.register} is above the 1000 invocations that one queue can run at once; lower it`,
    );
  }
  return problems;
}

/**
 * S3 and EventBridge notify only queues in the bucket's own region, and a queue's key and an alarm's topic must be in the
 * queue's region.
 */
function regionProblems({ deployment, entries }: Deployable): readonly string[] {
  const { region, kms_key_arn, alarm_topic_arn } = deployment;
  if (region === undefined) return [];
  const regionOfArn = (arn: string | undefined) => arn?.split(':')[3];
  const named = [
    // Stores other than S3 have their own names for regions.
    ...entries.flatMap(({ url, store }) =>
      store.endpoint === undefined ? [[`the bucket of "${url}" (store.region)`, store.region] as const] : [],
    ),
    [`kms_key_arn "${kms_key_arn}"`, regionOfArn(kms_key_arn)] as const,
    [`alarm_topic_arn "${alarm_topic_arn}"`, regionOfArn(alarm_topic_arn)] as const,
  ];
  return named
    .filter(([, other]) => other !== undefined && other !== region)
    .map(
      ([what, other]) =>
        `${what} is in "${other}", and the stack goes to "${region}": they must be in the same region; correct it, or deploy a stage there`,
    );
}

/** Finds a layout whose own segments would be ignored: in a table's directories, in the quarantine, or in no table. */
function entryProblems(entry: Entry): readonly string[] {
  if (!entry.url.startsWith('s3://')) {
    return [`url "${entry.url}" is not on S3; this stack is for AWS, so name a bucket there`];
  }
  const uri = sampleUri(entry, 'sample', 'sample.parquet');
  const [, bucket = '', key = ''] = /^s3:\/\/([^/]+)\/(.*)$/s.exec(uri) ?? [];
  const routed = layoutRouter([entry])({ scheme: 's3', bucket, key });
  if (routed.kind === 'table') return [];
  const why = routed.kind === 'ignored' ? routed.reason : routed.kind;
  return [
    `layout "${entry.layout}" places segments such as "${uri}" where they are ignored (${why}): the table's own "data" and "metadata" directories and the quarantine are not the shipper's; change layout, table_location or quarantine_url`,
  ];
}

/** Finds tables whose location is not known before deployment, so that no policy can name it. */
function locationProblems({ deployment: { table_locations }, entries }: Deployable): readonly string[] {
  const isUnknown = entries.some(
    ({ table_location, access_delegation }) =>
      table_location === 'catalog' && access_delegation === 'none' && table_locations.length === 0,
  );
  if (!isUnknown) return [];
  return [
    'table_location "catalog" leaves the location of tables to the catalog, and the functions are allowed to write only where they are told to; name the prefix in table_locations, or set access_delegation to "vended-credentials"',
  ];
}

/** Finds keys that a policy cannot name: IAM identifies a key by its ARN, not by an ID or an alias. */
function keyProblems({
  deployment: { kms_key_arn, decrypt_key_arns },
  entries,
}: Deployable): readonly string[] {
  const keys = [
    ['kms_key_arn', kms_key_arn] as const,
    ...decrypt_key_arns.map((arn) => ['decrypt_key_arns', arn] as const),
    ...entries.map(({ store }) => ['store.kms_key_id', store.kms_key_id] as const),
  ];
  return keys
    .filter(([, key]) => key !== undefined && !/^arn:[\w-]+:kms:[\w-]+:\d{12}:key\/[\w-]+$/.test(key))
    .map(
      ([name, key]) =>
        `${name} "${key}" is not the ARN of a key, which a role's policy has to name; write it as "arn:aws:kms:REGION:ACCOUNT:key/ID"`,
    );
}

/** Finds secrets in plain text. Everybody who may read the template or a function's environment could read them. */
function secretProblems({ config: { configText } }: Deployable): readonly string[] {
  const entries = JSON.parse(configText) as readonly RawSettings[];
  return describeSettings()
    .filter(
      ({ name, secret, type }) =>
        secret && entries.some((entry) => isWrittenOut(settingAt(entry, name), type)),
    )
    .map(
      ({ name }) =>
        `${name} is written out, and would be readable in the template and in the functions' environment; store it and refer to it: "\${secretsmanager:NAME}" or "\${ssm:NAME}"`,
    );
}

function settingAt(settings: RawSettings, name: string): unknown {
  return name
    .split('.')
    .reduce<unknown>(
      (value, key) => (value as Readonly<Record<string, unknown>> | undefined)?.[key],
      settings,
    );
}

/**
 * Whether a setting holds a secret itself, not a reference to it. The path of a key file is not a secret, its text is. Of a map of headers,
 * those are looked at whose names say that they are secret.
 */
function isWrittenOut(value: unknown, type: string): boolean {
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).some(
      ([name, held]) => /auth|cookie|key|secret|token/i.test(name) && isWrittenOut(held, 'text'),
    );
  }
  if (typeof value !== 'string' || /\$\{(secretsmanager|ssm):/.test(value)) return false;
  return type === 'text' || value.includes('PRIVATE KEY');
}

function configProblems({ config: { configText } }: Deployable): readonly string[] {
  const bytes = Buffer.byteLength(variableOf(configText));
  if (bytes <= MAX_CONFIG_BYTES) return [];
  return [
    `the configuration is ${bytes} bytes, packed, and a function's environment has room for ${MAX_CONFIG_BYTES}; leave out defaults, or deploy entries as separate stages`,
  ];
}

/** Finds stages that would register the same segments, either in two tables or twice in one. */
function sharedPrefixes(deployables: readonly Deployable[]): readonly string[] {
  const claims = deployables.flatMap(({ deployment: { stage }, entries }) =>
    entries.map(({ url }) => ({ stage, url: `${url}/` })),
  );
  return claims.flatMap((claim, at) =>
    claims
      .slice(at + 1)
      .filter(
        ({ stage, url }) => stage !== claim.stage && (url.startsWith(claim.url) || claim.url.startsWith(url)),
      )
      .map(
        ({ stage, url }) =>
          `stages "${claim.stage}" and "${stage}" both read "${url.length > claim.url.length ? url : claim.url}": both would register every segment there; give each its own prefix`,
      ),
  );
}
