/**
 * `npm run deploy:local [-- deployment.yaml] [--endpoint http://127.0.0.1:4566]`: the stack of a deployment on LocalStack, its built functions
 * running here, until Ctrl-C.
 */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { RegistrarError } from '../../lib/errors.ts';
import { sampleUri } from '../../lib/route/sample-uri.ts';
import { readConfig } from '../../lib/wire/configuration.ts';
import { readCommandLine } from '../command-line.ts';
import { writeEnvironmentFile } from '../environment-file.ts';
import { refusal } from '../refusal.ts';
import type { Template } from './cloudformation.ts';
import { deployLocally, type LocalDeployment } from './deployment.ts';
import { attach, type LocalStack, start } from './localstack.ts';
import { logPrinter } from './log-printer.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const DIST = path.join(ROOT, 'dist');
const SYNTHESIZED = path.join(DIST, 'infra');
const ENVIRONMENT = 'dist/local.env';
const SAMPLE = 'test/files/pyarrow.parquet';

try {
  await run();
} catch (error) {
  console.error(refusal(error));
  process.exitCode = 1;
}

async function run(): Promise<void> {
  const { values, positionals } = readCommandLine({
    allowPositionals: true,
    options: { endpoint: { type: 'string' } },
  });
  const interrupted = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  const { stackName, template } = synthesize(positionals);
  console.log('Starting LocalStack');
  const localstack = await (values.endpoint === undefined ? start() : attach(values.endpoint));
  await using started = new AsyncDisposableStack();
  started.defer(() => localstack.close());
  const printer = logPrinter((line) => console.log(line));
  const options = { stackName, template, bundles: DIST, onOutput: printer };
  const deployment = await deployLocally(localstack, options);
  started.defer(() => deployment.close());
  console.log(await instructions(localstack, deployment));
  await interrupted;
  console.log('Ending what runs');
}

/** The stack of a deployment, synthesized as for AWS and with the same checks. @throws `config.invalid` */
function synthesize(files: readonly string[]): { readonly stackName: string; readonly template: Template } {
  if (files.length > 1) {
    throw new RegistrarError(
      'config.invalid',
      `Cannot deploy ${files.length} files here: only one stage can run at a time`,
    );
  }
  const { status, stderr } = spawnSync(process.execPath, [path.join(ROOT, 'infra/app.ts'), ...files], {
    encoding: 'utf8',
    cwd: ROOT,
  });
  if (status !== 0) {
    console.error(stderr);
    throw new RegistrarError('config.invalid', 'Cannot deploy: the stack does not synthesize');
  }
  const file = readdirSync(SYNTHESIZED).find((name) => /(?<!-template)\.template\.json$/.test(name)) ?? '';
  const template = JSON.parse(readFileSync(path.join(SYNTHESIZED, file), 'utf8')) as Template;
  return { stackName: file.replace('.template.json', ''), template };
}

/** Writes the environment file, and returns a text with all addresses and the first commands. */
async function instructions(
  { endpoint }: LocalStack,
  { catalogUri, buckets, queueUrls, environment }: LocalDeployment,
): Promise<string> {
  writeEnvironmentFile(path.join(ROOT, ENVIRONMENT), environment);
  const [entry] = (await readConfig(environment)).entries;
  const upload = entry && sampleUri(entry, 'first_steps', 'first.parquet').replace(/^s3:\//, endpoint);
  return `
LocalStack  ${endpoint}
catalog     ${catalogUri}
${buckets.map((bucket) => `bucket      s3://${bucket}`).join('\n')}
${queueUrls.map((url) => `queue       ${url}`).join('\n')}

Upload a segment from another terminal, and its snapshot is shown here:

  curl --upload-file ${SAMPLE} ${upload}

Then look at it with the command line:

  . ${ENVIRONMENT} && npx iceberg-registrar status

Ctrl-C stops it.
`;
}
