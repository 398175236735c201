import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { App } from 'aws-cdk-lib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { templateStack } from '../../../infra/stack.ts';
import { commands, inlineCommands } from '../../docs/fences.ts';
import { deployable } from '../../infra/deployable.ts';
import { createBucket } from '../services/create-bucket.ts';
import { describeWith } from '../services/describe-with.ts';
import { install, installedFolder } from '../services/services.ts';

/** The one command of the documentation that begins so. */
function documented(start: string): string {
  const found = [...commands, ...inlineCommands].filter(({ command }) => command.startsWith(start));
  expect(found).toHaveLength(1);
  return found[0]?.command ?? '';
}

/** What the documentation tells to type into AWS's own command line, by that command line (LocalStack brings it). */
describeWith('the aws commands of the documentation', ['localstack'], ({ localstack }) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'aws-'));
  const type = async (command: string, more: Readonly<Record<string, string>> = {}) => {
    const { stdout } = await promisify(execFile)('sh', ['-euc', command], {
      cwd: folder,
      env: {
        PATH: `${folder}:${process.env['PATH']}`,
        AWS_ENDPOINT_URL: localstack.endpoint,
        AWS_REGION: localstack.region,
        AWS_DEFAULT_REGION: localstack.region,
        AWS_ACCESS_KEY_ID: localstack.accessKeyId,
        AWS_SECRET_ACCESS_KEY: localstack.secretAccessKey,
        ...more,
      },
    });
    return stdout;
  };

  beforeAll(async () => {
    await install('localstack');
    symlinkSync(path.join(installedFolder, 'localstack/bin/aws'), path.join(folder, 'aws'));
    for (const bucket of ['my-code', 'my-bucket']) await createBucket({ ...localstack, bucket });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test('upload the zipped functions to where the template looks for them', async () => {
    for (const name of ['route', 'register', 'health', 'reconcile']) {
      mkdirSync(path.join(folder, 'dist', name), { recursive: true });
      writeFileSync(path.join(folder, 'dist', name, 'index.mjs'), `export const name = '${name}';\n`);
    }
    await type(documented('for f in route register health reconcile'));
    const listed = await type('aws s3 ls s3://my-code/iceberg-registrar/v1/');
    expect([...listed.matchAll(/(\S+)\n/g)].map(([, key]) => key)).toEqual([
      ...['health.zip', 'reconcile.zip', 'register.zip', 'route.zip'],
    ]);
    await type('aws s3 cp s3://my-code/iceberg-registrar/v1/route.zip . && unzip -q route.zip');
    expect(readFileSync(path.join(folder, 'index.mjs'), 'utf8')).toContain("'route'");
  });

  test('make a change set of the plain template, with its parameters', { timeout: 300_000 }, async () => {
    const outdir = path.join(folder, 'dist/infra');
    const app = new App({ outdir, analyticsReporting: false });
    templateStack(app, await deployable({ stage: 'prod' }));
    app.synth();
    // LocalStack runs no functions, so the stack is not made.
    await type(`${documented('aws cloudformation deploy ')} --no-execute-changeset`);
    const answer = JSON.parse(
      await type('aws cloudformation list-change-sets --stack-name iceberg-registrar-prod'),
    ) as { Summaries: readonly { Status: string }[] };
    expect(answer.Summaries).toMatchObject([{ Status: 'CREATE_COMPLETE' }]);
  });

  test('move an alias: their parameters are those that the API has', async () => {
    const answer = await type(`${documented('aws lambda update-alias ')} --generate-cli-skeleton output`);
    expect(JSON.parse(answer)).toHaveProperty('FunctionVersion');
  });

  test('start a redrive of a dead-letter queue', async () => {
    const command = documented('aws sqs start-message-move-task');
    const [arn = ''] = /arn:\S+/.exec(command) ?? [];
    const [, , , region = '', account = '', name = ''] = arn.split(':');
    // An access key of twelve digits is the account; and for SQS this command line reads no AWS_ENDPOINT_URL.
    const there = { AWS_REGION: region, AWS_DEFAULT_REGION: region, AWS_ACCESS_KEY_ID: account };
    const typeThere = (line: string) => type(`${line} --endpoint-url ${localstack.endpoint}`, there);
    await typeThere(`aws sqs create-queue --queue-name ${name}`);
    const policy = JSON.stringify({ deadLetterTargetArn: arn, maxReceiveCount: '20' });
    const attributes = JSON.stringify({ RedrivePolicy: policy });
    await typeThere(
      `aws sqs create-queue --queue-name ${name.replace('-dlq', '')} --attributes '${attributes}'`,
    );
    expect(JSON.parse(await typeThere(command))).toHaveProperty('TaskHandle');
  });

  test('find the newest metadata file of a table', async () => {
    const command = documented('aws s3 ls s3://my-bucket/');
    const [directory = ''] = /s3:\S+/.exec(command) ?? [];
    mkdirSync(path.join(folder, 'metadata'));
    // The newest by its number, not by its time: files that were copied have new times.
    for (const name of ['00010-b.metadata.json', '00009-a.metadata.json']) {
      writeFileSync(path.join(folder, 'metadata', name), '{}');
      await type(`aws s3 cp metadata/${name} ${directory}`);
    }
    expect(await type(command)).toContain('00010-b.metadata.json');
  });
});
