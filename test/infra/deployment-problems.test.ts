import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadDeployable, readDeployment } from '../../infra/deployment.ts';
import { deploymentProblems } from '../../infra/deployment-problems.ts';
import { deployable } from './deployable.ts';

// biome-ignore lint/suspicious/noTemplateCurlyInString: a reference of the configuration
const reference = '${ssm:key}';

describe('readDeployment', () => {
  test('reports every problem at once, each with the path of its setting', () => {
    const parameters = { stage: 'Prod!', config: 'x', route: { timeout: 0 }, conncurrency: {} };
    expect(() => readDeployment(parameters)).toThrow(
      /stage: must be 1 to 20[\s\S]*route\.timeout[\s\S]*conncurrency: there is no such parameter: did you mean "concurrency"\?/,
    );
  });

  test('names the file that is no YAML', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'deployment-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = path.join(folder, 'deployment.yaml');
    writeFileSync(file, 'stage: x\n  config: [a\n');
    await expect(loadDeployable(file)).rejects.toMatchObject({
      code: 'config.invalid',
      message: expect.stringMatching(
        /^Cannot read the deployment parameters ".*deployment\.yaml": .* at line 1/,
      ),
    });
  });
});

describe('deploymentProblems', () => {
  test('finds none in the defaults', async () => {
    expect(deploymentProblems([await deployable()])).toEqual([]);
  });

  test.each([
    ['a notification of every key', { suffix: '' }, {}, /suffix ""/],
    ['a notification of manifests', { suffix: '.avro' }, {}, /suffix "\.avro"/],
    ['a notification of quarantine objects', { suffix: '.json' }, {}, /suffix "\.json"/],
    ['segments in the quarantine', {}, { quarantine_url: 's3://lake/landing/thadam' }, /quarantine/],
    [
      'a visibility below six timeouts',
      { register: { timeout: 120 } },
      {},
      /register\.visibility of 360 s is below 720 s/,
    ],
    [
      'a visibility without the window',
      { route: { window: 60 } },
      {},
      /route\.visibility of 370 s is below 420 s/,
    ],
    ['a store that is not S3', {}, { url: 'gs://lake/landing', quarantine_url: 'gs://lake/q' }, /not on S3/],
    [
      'a configuration that a function has no room for',
      {},
      { snapshot_properties: { note: randomBytes(3000).toString('hex') } },
      /packed, and a function's environment has room for 3500/,
    ],
    [
      'a bucket of another region',
      { region: 'eu-west-1' },
      { store: { region: 'eu-central-1' } },
      /store\.region\) is in "eu-central-1", and the stack goes to "eu-west-1"/,
    ],
    [
      'a key of another region',
      { region: 'eu-west-1', kms_key_arn: 'arn:aws:kms:us-east-1:123456789012:key/1' },
      {},
      /kms_key_arn .* is in "us-east-1"/,
    ],
    [
      'a topic of another region',
      { region: 'eu-west-1', alarm_topic_arn: 'arn:aws:sns:us-east-1:123456789012:pages' },
      {},
      /alarm_topic_arn .* is in "us-east-1"/,
    ],
    [
      'tables of which only the catalog knows where they are',
      {},
      { table_location: 'catalog' },
      /table_location "catalog" .* table_locations/,
    ],
    [
      'an alias of a key',
      {},
      { store: { kms_key_id: 'alias/lake' } },
      /store\.kms_key_id "alias\/lake" is not/,
    ],
    ['a key by its ID', { kms_key_arn: '0a1b2c3d' }, {}, /kms_key_arn "0a1b2c3d" is not the ARN of a key/],
    [
      'a secret that is written out',
      {},
      { catalog_token: 'some-token' },
      /catalog_token is written out.*\$\{ssm:NAME\}/,
    ],
    [
      'a secret that is written out deeper',
      {},
      { store: { access_key_id: reference, secret_access_key: 'some-secret' } },
      /store\.secret_access_key is written out/,
    ],
    [
      'a secret that is written out in a header',
      {},
      { catalog_headers: { 'x-realm': 'lake', 'x-api-key': 'some-key' } },
      /catalog_headers is written out/,
    ],
    [
      'a key to decrypt with by its ID',
      { decrypt_key_arns: ['0a1b2c3d'] },
      {},
      /decrypt_key_arns "0a1b2c3d" is not/,
    ],
    ['more functions than a queue starts', { concurrency: { register: 1001 } }, {}, /above the 1000/],
  ])('refuses %s', async (_, parameters, settings, problem) => {
    expect(deploymentProblems([await deployable(parameters, settings)])).toEqual([
      expect.stringMatching(problem),
    ]);
  });

  test.each(['data', 'metadata'])(
    'never sees segments in the %s/ directory of their table, because the configuration refuses them',
    async (folder) => {
      await expect(deployable({}, { layout: `{url}/{dataset}/${folder}/…` })).rejects.toThrow(
        /puts segments in data\/ or metadata\//,
      );
    },
  );

  test('accepts headers that are no secrets, and those that refer to one', async () => {
    const headers = { 'x-realm': 'lake', 'x-api-key': reference };
    expect(deploymentProblems([await deployable({}, { catalog_headers: headers })])).toEqual([]);
  });

  test('accepts resources of one region, whether or not the deployment names it', async () => {
    const store = { region: 'eu-west-1' };
    expect(deploymentProblems([await deployable({ region: 'eu-west-1' }, { store })])).toEqual([]);
    expect(deploymentProblems([await deployable({}, { store })])).toEqual([]);
    const elsewhere = { region: 'auto', endpoint: 'https://store.example.com' };
    expect(deploymentProblems([await deployable({ region: 'eu-west-1' }, { store: elsewhere })])).toEqual([]);
  });

  test('refuses two stages on one prefix, and allows two on one bucket', async () => {
    const stages = async (url: string) => [
      await deployable({ stage: 'a' }),
      await deployable({ stage: 'b' }, { url }),
    ];
    for (const url of ['s3://lake/landing', 's3://lake/landing/deeper', 's3://lake']) {
      expect(deploymentProblems(await stages(url))).toEqual([
        expect.stringMatching(/stages "a" and "b" both read/),
      ]);
    }
    expect(deploymentProblems(await stages('s3://lake/landing-b'))).toEqual([]);
  });
});
