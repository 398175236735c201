import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { type Deployable, deployableOf, readDeployment } from '../../infra/deployment.ts';
import { IcebergRegistrar } from '../../infra/iceberg-registrar.ts';

const SETTINGS = {
  url: 's3://lake/landing',
  namespace: 'analytics',
  catalog_uri: 'https://catalog.example.com/iceberg',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference of the configuration
  catalog_token: '${secretsmanager:prod/catalog#token}',
  quarantine_url: 's3://lake/quarantine',
};

/** A deployment of stage `test`: its parameters, and the settings of its configuration. */
export async function deployable(
  parameters: Readonly<Record<string, unknown>> = {},
  settings: Readonly<Record<string, unknown>> = {},
): Promise<Deployable> {
  const deployment = readDeployment({ stage: 'test', config: 'registrar.yaml', ...parameters });
  return deployableOf(deployment, JSON.stringify({ ...SETTINGS, ...settings }));
}

/** The template of a deployment, with placeholder code. */
export function templateOf(of: Deployable): Template {
  const stack = new Stack(new App({ analyticsReporting: false }), 'test');
  const codeOf = () => Code.fromInline('exports.handler = () => {};');
  new IcebergRegistrar(stack, 'Registrar', { deployable: of, code: { codeOf, versioned: true } });
  return Template.fromStack(stack);
}
