import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Stack, startStack } from '../../local/stack.ts';
import { type Ran, runCli } from './run.ts';

interface Printed {
  readonly buckets: readonly {
    readonly bucket: string;
    readonly state: string;
    readonly configuration: { readonly QueueConfigurations: readonly { readonly Id: string }[] };
  }[];
}

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());

let bucket: string;
let buckets = 0;
beforeEach(() => {
  bucket = `lake-${++buckets}`;
  stack.createBucket(bucket);
});

/** `init` with words behind it, for a deployment whose segments and queue are named after its stage. */
function init(words: string, stage = 'prod', datasets: readonly string[] = []): Promise<Ran> {
  const { accessKeyId, secretAccessKey } = stack.credentials;
  const entry = {
    url: `s3://${bucket}/${stage}`,
    namespace: 'analytics',
    catalog_uri: stack.catalogUri,
    store: { endpoint: stack.s3Endpoint, region: stack.region, allow_http: true },
    queues: { arrivals: stack.createQueue(`${stage}-arrivals`).url },
  };
  return runCli(['init', ...words.split(' ')], {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    REGISTRAR_CONFIG: JSON.stringify(
      datasets.length === 0 ? entry : datasets.map((dataset) => ({ ...entry, from: [dataset] })),
    ),
  });
}

function idsIn(stdout: string): readonly string[] {
  const [printed] = (JSON.parse(stdout) as Printed).buckets;
  return (printed?.configuration.QueueConfigurations ?? []).map(({ Id }) => Id);
}

test.each(['notifications --stage dev --json', '--stage dev --json notifications'])(
  'init %s: the options reach notifications, and stdout is one JSON value',
  async (words) => {
    const { status, stdout, stderr } = await init(words, 'dev');
    expect(stderr).toBe('');
    expect(status).toBe(3);
    expect(idsIn(stdout)).toEqual(['iceberg-registrar-dev']);
  },
);

test('init notifications --apply keeps the rule of another stage on the bucket', async () => {
  expect((await init('notifications --stage dev --apply', 'dev')).status).toBe(0);
  const { stdout } = await init('notifications --stage test --apply --json', 'test');
  expect(idsIn(stdout)).toEqual(['iceberg-registrar-dev', 'iceberg-registrar-test']);
});

test('init notifications refuses to replace a rule of its name for another queue, naming stage and rule', async () => {
  await init('notifications --stage dev --apply', 'dev');
  const { status, stdout, stderr } = await init('notifications --stage dev --apply', 'test');
  expect(status).toBe(1);
  expect(stdout).toBe('');
  expect(stderr).toMatch(
    /^config\.invalid: .* stage "dev" .* rule "iceberg-registrar-dev" notifies ".*dev-arrivals".*--stage/,
  );
  expect(idsIn((await init('notifications --stage dev --json', 'dev')).stdout)).toEqual([
    'iceberg-registrar-dev',
  ]);
});

test('init notifications refuses a stage that no deployment has', async () => {
  const { status, stderr } = await init('notifications --stage Prod');
  expect(status).toBe(1);
  expect(stderr).toContain('Cannot name a deployment "Prod"');
});

test('init notifications --apply says what it applied, and afterwards that nothing was to be done', async () => {
  expect((await init('notifications')).stdout).toContain(`${bucket}: needs --apply\n`);
  expect((await init('notifications --apply')).stdout).toContain(`${bucket}: applied\n`);
  const { status, stdout } = await init('notifications --apply');
  expect(status).toBe(0);
  expect(stdout).toContain(`${bucket}: up to date\n`);
});

test('init notifications says which setting it needs', async () => {
  const config = { url: 's3://lake/in', namespace: 'a', catalog_uri: 'http://127.0.0.1:1' };
  const { status, stderr } = await runCli(['init', 'notifications'], {
    REGISTRAR_CONFIG: JSON.stringify(config),
  });
  expect(status).toBe(1);
  expect(stderr).toContain('queues.arrivals');
});

test('init notifications shows once what entries of one url share', async () => {
  const { stdout } = await init('notifications --json', 'prod', ['orders', 'clicks', 'views']);
  expect((JSON.parse(stdout) as Printed).buckets).toHaveLength(1);
  expect(idsIn(stdout)).toEqual(['iceberg-registrar-prod']);
});
