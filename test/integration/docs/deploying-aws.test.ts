import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commands, inlineCommands, root } from '../../docs/fences.ts';
import { createBucket } from '../services/create-bucket.ts';
import { describeWith } from '../services/describe-with.ts';
import { install, installedFolder } from '../services/services.ts';

const PAGE = 'docs/deploying-aws.md';
const STAGE = 'walk';
const REGION = 'eu-central-1';
/** LocalStack starts no functions, so the stack of the CDK is checked and uploaded, and not made. */
const UNTIL_THE_CHANGE_SET = '--require-approval never --method prepare-change-set';

/** docs/deploying-aws.md as a reader types it, from `init` to the deployed stack, LocalStack in place of an account. */
describeWith('docs/deploying-aws.md', ['localstack'], ({ localstack }) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'deploying-'));
  const environment = {
    ...process.env,
    AWS_ENDPOINT_URL: localstack.endpoint,
    AWS_REGION: REGION,
    AWS_DEFAULT_REGION: REGION,
    AWS_ACCESS_KEY_ID: localstack.accessKeyId,
    AWS_SECRET_ACCESS_KEY: localstack.secretAccessKey,
  };

  /** The page's command with a part, on a bucket, a stage and a folder that are this test's alone. */
  function documented(part: string): string {
    const found = [...commands, ...inlineCommands]
      .filter(({ page, command }) => page === PAGE && command.includes(part))
      .map(({ command }) => command);
    expect(found.length).toBeGreaterThan(0);
    return (found[0] ?? '')
      .replaceAll('my-bucket', `${STAGE}-bucket`)
      .replaceAll(/(-| )prod\b/g, `$1${STAGE}`)
      .replaceAll(/\b(deployment|registrar)\.yaml/g, path.join(folder, '$1.yaml'));
  }
  const type = async (command: string, env: Readonly<Record<string, string | undefined>> = environment) =>
    promisify(execFile)('bash', ['-euc', command], { cwd: root, env });

  beforeAll(async () => {
    await createBucket({ ...localstack, bucket: `${STAGE}-bucket` });
    await type(`${documented('npx iceberg-registrar init --url')} --stage ${STAGE} --dir ${folder}`);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test('npm run build && npm run synth', { timeout: 300_000 }, async () => {
    const { stderr } = await type(documented('npm run synth'));
    expect(stderr).toContain(`dist/infra/iceberg-registrar-${STAGE}.template.json`);
    expect(stderr).toContain('Nothing was deployed');
  });

  test('npx aws-cdk bootstrap, npm run deploy -- -c deployment=…', { timeout: 400_000 }, async () => {
    await install('localstack');
    await type(documented('npx aws-cdk bootstrap').replace('npx', 'npx --yes'));
    await type(`${documented('npm run deploy --')} ${UNTIL_THE_CHANGE_SET}`);
    const { stdout } = await type(
      `${installedFolder}/localstack/bin/aws cloudformation list-change-sets --stack-name iceberg-registrar-${STAGE}`,
    );
    expect((JSON.parse(stdout) as { Summaries: readonly unknown[] }).Summaries).toMatchObject([
      { Status: 'CREATE_COMPLETE', ExecutionStatus: 'AVAILABLE' },
    ]);
  });

  test('npm run deploy:local, what it tells to type, npm run smoke, and Ctrl-C', {
    timeout: 400_000,
  }, async () => {
    const { printed, saw, interrupt } = start(
      `${documented('npm run deploy:local --')} --endpoint ${localstack.endpoint}`,
    );
    await saw('Ctrl-C stops it.');
    const told = (begin: string) => new RegExp(`^ {2}(${begin} .*)$`, 'm').exec(printed())?.[1] ?? '';
    await type(told('curl'));
    await saw('committed    analytics.first_steps: 1 segment, 4 rows');
    const { stdout } = await type(told('\\.'), process.env);
    expect(stdout).toContain('1 table, 1 available, fresh and healthy');
    // Its configuration and region are in what `deploy:local` has written.
    const smoke = documented('npm run smoke --').replace(/^.*?(?=npm)/, '. dist/local.env && ');
    expect((await type(smoke, process.env)).stdout.match(/^ok {2}/gm)).toHaveLength(5);
    const notifying = documented('npx iceberg-registrar init notifications --stage prod --eventbridge');
    const { stdout: merged } = await type(`. dist/local.env && ${notifying}`, process.env);
    expect(merged).toMatch(/"Value": "lake\/".*"EventBridgeConfiguration": \{\}/s);
    await interrupt();
    expect(printed()).toMatch(/Ending what runs\n$/);
  });

  /** A command that runs until Ctrl-C. */
  function start(command: string) {
    const child: ChildProcess = spawn('bash', ['-euc', `exec ${command}`], {
      cwd: root,
      env: process.env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = once(child, 'close');
    let text = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
    return {
      printed: () => text,
      async saw(what: string) {
        while (!text.includes(what)) {
          const [code] = await Promise.race([once(child.stdout as NodeJS.ReadableStream, 'data'), ended]);
          if (typeof code === 'number') throw new Error(`it ended with ${code}: ${text}`);
        }
      },
      /** As a terminal does: to the command and all that it has started. */
      async interrupt(): Promise<void> {
        process.kill(-(child.pid as number), 'SIGINT');
        await ended;
      },
    };
  }
});
