import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { App, Validations } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { AwsSolutionsChecks } from 'cdk-nag';
import { afterAll, describe, expect, test } from 'vitest';
import { templateStack } from '../../infra/stack.ts';
import { deployable, templateOf } from './deployable.ts';

const outdir = mkdtempSync(path.join(tmpdir(), 'variants-'));
afterAll(() => rmSync(outdir, { recursive: true, force: true }));

const KEY = 'arn:aws:kms:eu-central-1:123456789012:key/0a1b2c3d-0000-4000-8000-000000000000';
const encrypted = { kms_key_arn: KEY };
const eventbridge = { notifications: 'eventbridge' };
const vpc = {
  vpc: {
    id: 'vpc-12345678',
    availability_zones: ['eu-central-1a'],
    subnet_ids: ['subnet-12345678'],
    security_group_ids: ['sg-12345678'],
  },
};
const glue = { catalog_token: null, catalog_sigv4: { region: 'eu-central-1', service: 'glue' } };

/** The plain template of a deployment, synthesized under the checks of `npm run synth`. @throws when one of them fails */
async function synthesized(parameters: object, settings: object = {}): Promise<Template> {
  const app = new App({ outdir, analyticsReporting: false });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  const stack = templateStack(app, await deployable({ ...parameters }, { ...settings }));
  app.synth();
  return Template.fromStack(stack);
}

describe('every kind of deployment passes the checks of the synthesis', () => {
  test.each([
    ['its own account and region', { account: '123456789012', region: 'eu-central-1' }, {}],
    ['notified through EventBridge', eventbridge, {}],
    ['encrypted', encrypted, { store: { kms_key_id: KEY } }],
    ['in a VPC', vpc, {}],
    ['encrypted, in a VPC, notified through EventBridge', { ...encrypted, ...vpc, ...eventbridge }, {}],
    ['without reserved concurrency', { concurrency: { reserved: false } }, {}],
    ['on Glue, tables apart', {}, { ...glue, table_location: 's3://tables/{dataset}' }],
    ['tables where the catalog chooses', { table_locations: ['s3://tables'] }, { table_location: 'catalog' }],
  ])('%s', async (_, parameters, settings) => {
    const template = await synthesized(parameters, settings);
    expect(Object.keys(template.findResources('AWS::Lambda::Function'))).toHaveLength(4);
  });
});

describe('the plain template', () => {
  test('has the resources of the CDK stack, but for the code and its versions', async () => {
    const plain = (await synthesized({})).toJSON()['Resources'];
    const deployed = templateOf(await deployable()).toJSON()['Resources'];
    expect(comparable(plain)).toEqual(comparable(deployed));
  });

  // An alias of $LATEST runs new code as soon as the function has it.
  test('updates the code of register before that of route', async () => {
    const template = await synthesized({});
    const [route] = Object.values(
      template.findResources('AWS::Lambda::Function', {
        Properties: { FunctionName: 'iceberg-registrar-test-route' },
      }),
    );
    expect(route?.['DependsOn']).toContainEqual(expect.stringMatching(/RegisterLive\w{8}$/));
  });
});

type Resources = Readonly<
  Record<string, { readonly Type: string; readonly Properties?: Readonly<Record<string, unknown>> }>
>;

/** The resources without code and versions, under logical IDs that do not contain the name of the stack. */
function comparable(resources: Resources): object {
  const others = Object.entries(resources)
    .filter(([, { Type }]) => Type !== 'AWS::Lambda::Version')
    .map(([id, { Properties = {}, ...resource }]) => {
      const { Code: _, FunctionVersion: __, ...properties } = Properties;
      return [id, { ...resource, properties }];
    });
  const text = JSON.stringify(Object.fromEntries(others));
  return JSON.parse(text.replaceAll(/(AllowEventRule|SqsEventSource)\w+/g, '$1'));
}
