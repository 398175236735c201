/**
 * Synthesizes the stacks of one or more deployments, and a plain template of each: `npm run synth -- deployment.yaml`, or
 * through the CDK's own command line with `-c deployment=deployment.yaml`. Without one it uses the example: the CDK bootstraps an account that way, and
 * `deploy.ts` deploys only what is named.
 */
import { rmSync } from 'node:fs';
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { RegistrarError } from '../lib/errors.ts';
import { loadDeployable } from './deployment.ts';
import { deploymentProblems } from './deployment-problems.ts';
import { refuse } from './iceberg-registrar.ts';
import { deployStack, templateStack } from './stack.ts';

const OUTDIR = 'dist/infra';
const EXAMPLE = 'infra/example/deployment.yaml';

try {
  const isCalledByCdk = process.env['CDK_OUTDIR'] !== undefined;
  if (!isCalledByCdk) rmSync(OUTDIR, { recursive: true, force: true });
  const app = new App({ outdir: process.env['CDK_OUTDIR'] ?? OUTDIR, analyticsReporting: false });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));

  const named = process.argv.slice(2);
  const context: unknown = app.node.tryGetContext('deployment');
  const given = typeof context === 'string' ? context.split(',') : named;
  const files = given.length > 0 ? given : [EXAMPLE];
  const deployables = await Promise.all(files.map(loadDeployable));
  refuse(deploymentProblems(deployables));
  for (const deployable of deployables) {
    deployStack(app, deployable);
    // Not under the CDK's command line: `cdk deploy --all` would deploy this stack too.
    if (!isCalledByCdk) templateStack(app, deployable);
  }
  for (const { stackName, templateFile } of app.synth().stacks)
    console.error(`${stackName}: ${OUTDIR}/${templateFile}`);
  if (!isCalledByCdk)
    console.error(`Nothing was deployed. Next: npm run deploy -- -c deployment=${files.join(',')}`);
} catch (error) {
  if (!(error instanceof RegistrarError)) throw error;
  console.error(`${error.code}: ${error.message}`);
  process.exitCode = 1;
}
