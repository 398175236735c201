/**
 * `npm run deploy -- -c deployment=deployment.yaml`: builds the functions and hands over to the CDK's own command line, with everything that
 * it is given. Without a deployment the app would use the example, which nobody wants to have deployed.
 */
import { spawnSync } from 'node:child_process';

const CDK = 'aws-cdk@2.1148.1';
const given = process.argv.slice(2);

if (given.some((value) => /^(--context=)?deployment=./.test(value))) {
  process.exitCode = run('npm', 'run', 'build') || run('npx', '--yes', CDK, 'deploy', '--all', ...given);
} else {
  console.error(
    'config.invalid: Cannot tell what to deploy: name the parameters, npm run deploy -- -c deployment=deployment.yaml',
  );
  process.exitCode = 1;
}

function run(command: string, ...values: readonly string[]): number {
  return spawnSync(command, values, { stdio: 'inherit' }).status ?? 1;
}
