import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { deployableOf, loadDeployable, readDeployment } from '../../infra/deployment.ts';
import { deploymentProblems } from '../../infra/deployment-problems.ts';
import { describeSettings } from '../../lib/config/settings.ts';

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

  test('asks for nothing without a terminal, but says what is missing', () => {
    const { status, stderr } = init('--url', 's3://lake/landing');
    expect(status).toBe(1);
    expect(stderr).toContain('--catalog-uri');
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
    expect(again.stderr).toContain('it is there already');
    expect(init(...ANSWERS, '--dir', dir, '--force').status).toBe(0);
  });
});

describe('iceberg-registrar init notifications', () => {
  test('says which setting it needs', () => {
    const { status, stderr } = spawnSync(process.execPath, ['cli/main.mjs', 'init', 'notifications'], {
      cwd: root,
      encoding: 'utf8',
      env: {
        PATH: process.env['PATH'],
        REGISTRAR_CONFIG: JSON.stringify({
          url: 's3://lake/in',
          namespace: 'a',
          catalog_uri: 'http://127.0.0.1:1',
        }),
      },
    });
    expect(status).toBe(1);
    expect(stderr).toContain('queues.arrivals');
  });
});
