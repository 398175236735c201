import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Template } from '../../../local/deploy/cloudformation.ts';
import { deployLocally, type LocalDeployment } from '../../../local/deploy/deployment.ts';
import { attach } from '../../../local/deploy/localstack.ts';
import { deployable, templateOf } from '../../infra/deployable.ts';
import { describeWith } from '../services/describe-with.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');

const bundles = mkdtempSync(path.join(tmpdir(), 'bundles-'));
beforeAll(() => {
  const built = spawnSync(process.execPath, ['esbuild.config.mjs', bundles], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  expect(built.stderr).toBe('');
});
afterAll(() => rmSync(bundles, { recursive: true, force: true }));

/** The synthesized stack on LocalStack, the bundles that are deployed, and the commands of the documentation. */
describe.each(['bucket', 'eventbridge'] as const)('npm run deploy:local, notified by %s', (notifications) => {
  describeWith('on LocalStack', ['localstack'], ({ localstack }) => {
    const stage = `it${notifications[0]}${Date.now().toString(36)}`;
    const stackName = `iceberg-registrar-${stage}`;
    const output: string[] = [];
    let deployment: LocalDeployment;

    // The catalog is in this process, which must not wait for a command without answering it.
    const run = async (...args: readonly string[]) => {
      const env = { PATH: process.env['PATH'], ...deployment.environment };
      const child = spawn(process.execPath, args, { cwd: ROOT, env });
      const said = { stdout: '', stderr: '' };
      for (const stream of ['stdout', 'stderr'] as const)
        child[stream].setEncoding('utf8').on('data', (text: string) => {
          said[stream] += text;
        });
      await once(child, 'close');
      return { ...said, status: child.exitCode };
    };

    beforeAll(async () => {
      const url = `s3://${stage}-lake/landing`;
      const template = templateOf(
        await deployable(
          { stage, notifications, route: { window: 1 } },
          { url, quarantine_url: `s3://${stage}-set-aside/q` },
        ),
      ).toJSON() as Template;
      deployment = await deployLocally(await attach(localstack.endpoint), {
        stackName,
        template,
        bundles,
        onOutput: (text) => output.push(text),
      });
    });
    afterAll(async () => {
      await deployment?.close();
    });

    test('makes every bucket and queue, and leaves the catalog of the account alone', () => {
      expect(deployment.buckets).toEqual([`${stage}-lake`, `${stage}-set-aside`]);
      expect(deployment.queueUrls).toHaveLength(4);
      expect(deployment.environment['REGISTRAR_CONFIG']).not.toContain('catalog.example.com');
      expect(deployment.environment['REGISTRAR_CONFIG']).not.toContain('secretsmanager');
    });

    test('smoke sees uploads become rows, and a broken one come back', async () => {
      const { status, stdout, stderr } = await run('local/smoke/main.ts', '--stack', stackName);
      expect(stderr, output.join('')).toBe('');
      expect(stdout.match(/^ok {2}/gm)).toHaveLength(5);
      expect(status).toBe(0);
    });

    test('status finds what it registered, in a store that compares keys percent-encoded', async () => {
      const { status, stdout, stderr } = await run('cli/main.mjs', 'status');
      expect(stderr).toBe('');
      expect(stdout).toMatch(/^analytics\.smoke_\w+ {2}available {2}fresh/m);
      expect(stdout).toContain('1 table, 1 available, fresh and healthy');
      expect(status).toBe(0);
    });

    test('doctor finds whom the bucket notifies', async () => {
      const { findings } = JSON.parse((await run('cli/main.mjs', 'doctor', '--json')).stdout) as {
        findings: readonly { check: string; found: string }[];
      };
      expect(findings.find(({ check }) => check === 'notifications')).toMatchObject({
        state: 'ok',
        found: expect.stringContaining(notifications === 'bucket' ? 'the arrivals queue' : 'EventBridge'),
      });
    });

    test('smoke names a stack that is not there', async () => {
      const { status, stderr } = await run('local/smoke/main.ts', '--stack', 'nobody');
      expect(stderr).toMatch(/^config\.invalid: Cannot ask CloudFormation .*"nobody"/);
      expect(status).toBe(1);
    });
  });
});
