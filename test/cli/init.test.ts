import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { deployableOf, loadDeployable, readDeployment } from '../../infra/deployment.ts';
import { deploymentProblems } from '../../infra/deployment-problems.ts';
import { describeSettings } from '../../lib/config/setting-descriptions.ts';
import { stageRules } from '../../lib/config/stage.ts';

const root = path.resolve(import.meta.dirname, '../..');
const ANSWERS = [
  '--url',
  's3://lake/landing',
  '--catalog-uri',
  'https://catalog.example.com/iceberg',
  '--namespace',
  'analytics',
];

function init(...args: readonly string[]) {
  const dir = mkdtempSync(path.join(tmpdir(), 'init-'));
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['cli/main.mjs', 'init', '--dir', dir, ...args],
    {
      cwd: root,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] },
    },
  );
  return { dir, status, stdout, stderr, read: (file: string) => readFileSync(path.join(dir, file), 'utf8') };
}

describe('iceberg-registrar init', () => {
  test.each([
    ['firehose', ['--from', 'orders, refunds'], { from: ['orders', 'refunds'] }],
    [
      'aiven',
      ['--table-location', 's3://lake/tables/{dataset}'],
      { table_location: 's3://lake/tables/{dataset}' },
    ],
  ])('says for the layout %s what it cannot do without', (layout, flags, wanted) => {
    const without = init(...ANSWERS, '--layout', layout);
    expect(without.status).toBe(1);
    expect(without.stderr).toContain(Object.keys(wanted)[0]);
    const { status, stderr, read } = init(...ANSWERS, '--layout', layout, ...flags);
    expect(stderr).toBe('');
    expect(status).toBe(0);
    expect(parse(read('registrar.yaml'))).toMatchObject({ layout, ...wanted });
  });

  test('writes two files that can be deployed as they are', async () => {
    const { dir, status, stderr } = init(
      ...ANSWERS,
      '--token-secret',
      'prod/catalog',
      '--create-table',
      '--freshness',
      '15m',
      '--stage',
      'test',
      '--region',
      'eu-west-1',
    );
    expect(stderr).toBe('');
    expect(status).toBe(0);
    const deployable = await loadDeployable(path.join(dir, 'deployment.yaml'));
    expect(deploymentProblems([deployable])).toEqual([]);
    expect(deployable.deployment).toMatchObject({ stage: 'test', region: 'eu-west-1' });
    expect(deployable.config.secrets).toEqual([{ store: 'secretsmanager', name: 'prod/catalog' }]);
    expect(deployable.entries).toEqual([
      expect.objectContaining({
        url: 's3://lake/landing',
        namespace: ['analytics'],
        create_table: true,
        freshness_ms: 900_000,
        store: { region: 'eu-west-1' },
      }),
    ]);
  });

  test('explains every key that it does not set', () => {
    const text = init(...ANSWERS).read('registrar.yaml');
    for (const { name, doc } of describeSettings().filter(
      ({ name }) => !name.includes('.') && name !== 'kind',
    )) {
      expect(text).toMatch(new RegExp(`^(# )?${name}:`, 'm'));
      expect(text).toContain(doc);
    }
  });

  test('has defaults that stay what they are when their # is taken away', async () => {
    const text = init(...ANSWERS).read('registrar.yaml');
    const uncommented = text.replaceAll(/^# (\w+: )(?! )/gm, '$1');
    expect(uncommented).not.toBe(text);
    const entries = async (written: string) =>
      (await deployableOf(readDeployment({ stage: 'a', config: 'a' }), written)).entries;
    expect(await entries(uncommented)).toEqual(await entries(text));
  });

  test('takes the name of a shipper for the layout, and refuses what is neither', async () => {
    const { dir } = init(...ANSWERS, '--layout', 'spark');
    const { entries } = await loadDeployable(path.join(dir, 'deployment.yaml'));
    expect(entries).toEqual([expect.objectContaining({ layout: '{url}/{dataset}/…', field_ids: 'by_name' })]);
    expect(init(...ANSWERS, '--layout', 'sparc')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('layout'),
    });
  });

  test.each([
    [[], 'without --url, --catalog-uri, --namespace:'],
    [['--url', 's3://lake/landing', '--namespace', ''], 'without --catalog-uri, --namespace:'],
    [['--url', 'gs://lake/landing', '--namespace', 'a'], 'without --catalog-uri, --region, --project:'],
  ])('asks for nothing without a terminal, but says of %j all that is missing', (args, problem) => {
    const { status, stderr } = init(...args);
    expect(status).toBe(1);
    expect(stderr).toContain(problem);
  });

  test.each([
    [
      'AWS',
      [
        '',
        's3://lake/landing/',
        'spark',
        'https://catalog.example.com',
        'prod/catalog',
        'sales',
        'y',
        'eu-central-1',
      ],
      { url: 's3://lake/landing', layout: 'spark', namespace: 'sales', create_table: true },
      /\nregion: eu-central-1\n/,
    ],
    [
      'Google Cloud',
      [
        'google',
        'gs://lake/landing',
        '',
        'https://catalog.example.com',
        '',
        'sales',
        '',
        'europe-west1',
        'mine',
      ],
      { url: 'gs://lake/landing', namespace: 'sales' },
      /project += "mine"/,
    ],
  ] as const)('asks on a terminal, for %s', async (_, answers, written, parameters) => {
    const dir = mkdtempSync(path.join(tmpdir(), 'init-'));
    const isTerminal = 'data:text/javascript,process.stdin.isTTY=true';
    const child = spawn(process.execPath, ['--import', isTerminal, 'cli/main.mjs', 'init', '--dir', dir], {
      cwd: root,
      env: { PATH: process.env['PATH'] },
    });
    const waiting = [...answers];
    const asked: string[] = [];
    child.stderr.setEncoding('utf8').on('data', (question: string) => {
      asked.push(question);
      child.stdin.write(`${waiting.shift() ?? ''}\n`);
    });
    const [code] = await once(child, 'close');
    expect(code, asked.join('\n')).toBe(0);
    expect(asked).toHaveLength(answers.length);
    const read = (end: string) =>
      readFileSync(path.join(dir, readdirSync(dir).find((file) => file.endsWith(end)) ?? ''), 'utf8');
    expect(parse(read('registrar.yaml'))).toMatchObject(written);
    expect(read(written.url.startsWith('s3:') ? 'deployment.yaml' : '.tfvars')).toMatch(parameters);
  });

  test('writes nothing that the functions would refuse', () => {
    const { status, stderr, read } = init(...ANSWERS, '--freshness', 'soon');
    expect(status).toBe(1);
    expect(stderr).toContain('freshness');
    expect(() => read('registrar.yaml')).toThrow();
  });

  test('overwrites nothing unless told to', () => {
    const { dir } = init(...ANSWERS);
    const again = init(...ANSWERS, '--dir', dir);
    expect(again.status).toBe(1);
    expect(again.stderr).toContain('it exists already');
    expect(init(...ANSWERS, '--dir', dir, '--force').status).toBe(0);
  });
});

describe('iceberg-registrar init for Google Cloud', () => {
  const ON_GOOGLE = [
    '--url',
    'gs://lake/landing/',
    '--catalog-uri',
    'https://catalog.example.com/iceberg',
    '--namespace',
    'analytics',
  ];
  const PLACE = ['--project', 'my-project', '--region', 'europe-west1'];

  test('writes a configuration, and the variables that the Terraform asks for', async () => {
    const { status, stderr, stdout, read } = init(...ON_GOOGLE, ...PLACE, '--token-secret', 'catalog');
    expect(stderr).toBe('');
    expect(status).toBe(0);
    expect(stdout).toContain('terraform plan -var-file=');
    const config = parse(read('registrar.yaml')) as Record<string, unknown>;
    expect(config).toMatchObject({
      url: 'gs://lake/landing',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference of the configuration
      catalog_token: '${env:CATALOG_TOKEN}',
      table_location: 'gs://lake/landing-tables/{dataset}',
      quarantine_url: 'gs://lake/landing-quarantine',
      queues: { registrations: 'projects/my-project/topics/iceberg-registrar-prod-arrivals' },
    });
    const variables = read('deployment.tfvars');
    expect(variables).toContain('segments_prefix = "landing/"\ntables_prefix = "landing-tables/"');
    expect(variables).toContain('secrets = { CATALOG_TOKEN = "catalog" }');
    const terraform = readFileSync(path.join(root, 'infra/google/variables.tf'), 'utf8');
    expect(terraform).toContain(`regex("${stageRules.google.pattern.source}", var.stage)`);
    const declared = terraform.split(/^(?=variable )/m).flatMap((text) => {
      const name = /^variable "(\w+)"/.exec(text)?.[1];
      return name === undefined ? [] : [{ name, isNeeded: !/^ {2}default /m.test(text) }];
    });
    const set = [...variables.matchAll(/^(?:# )?(\w+) = /gm)].map(([, name]) => name);
    expect(declared.map(({ name }) => name)).toEqual(expect.arrayContaining(set));
    // The configuration is given on the command line, as the text of its file.
    const needed = declared.flatMap(({ name, isNeeded }) => (isNeeded && name !== 'config' ? [name] : []));
    expect(set).toEqual(expect.arrayContaining(needed));
  });

  test.each([
    ['a project', [...ON_GOOGLE, '--region', 'europe-west1'], '--project'],
    ['a prefix', ['--url', 'gs://lake', ...ON_GOOGLE.slice(2), ...PLACE], 'give a prefix'],
    ['a bucket there', [...ANSWERS, '--cloud', 'google'], 'gs://bucket/prefix'],
  ])('needs %s', (_, args, problem) => {
    const { status, stderr, read } = init(...args);
    expect(status).toBe(1);
    expect(stderr).toContain(problem);
    expect(() => read('registrar.yaml')).toThrow();
  });
});
