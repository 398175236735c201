import { setTimeout as sleep } from 'node:timers/promises';
import { awsEndpoint } from '../../lib/drivers/aws-endpoint.ts';
import { sendToAws } from '../../lib/drivers/aws-request.ts';
import { faultText } from '../../lib/drivers/http.ts';
import { systemClock } from '../../lib/drivers/platform.ts';
import type { AwsCredentials } from '../../lib/drivers/s3/signed-request.ts';
import { RegistrarError } from '../../lib/errors.ts';

export interface CloudFormationSettings {
  readonly region: string;
  /** @default AWS's endpoint of the region */
  readonly endpoint?: string | undefined;
  /** @default as the SDK finds them */
  readonly credentials?: AwsCredentials;
}

/** The outputs of a stack by logical ID. */
export type StackOutputs = ReadonlyMap<string, string>;

/** The parts of a template that are read here. */
export interface Template {
  readonly Resources: Readonly<Record<string, Resource>>;
  readonly Outputs?: Readonly<Record<string, unknown>>;
}

export interface Resource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
}

/** Creates a stack, and resolves with its outputs once it is complete. @throws `config.invalid` when it fails */
export async function createStack(
  settings: CloudFormationSettings,
  name: string,
  template: Template,
): Promise<StackOutputs> {
  await call(settings, { Action: 'CreateStack', StackName: name, TemplateBody: JSON.stringify(template) });
  for (;;) {
    const answer = await call(settings, { Action: 'DescribeStacks', StackName: name });
    const status = /<StackStatus>(\w+)</.exec(answer)?.[1] ?? answer;
    if (status === 'CREATE_COMPLETE') return outputsIn(answer);
    if (status !== 'CREATE_IN_PROGRESS') {
      throw new RegistrarError(
        'config.invalid',
        `Cannot create stack "${name}": it is ${status}; see the log of CloudFormation`,
      );
    }
    await sleep(200);
  }
}

/** The outputs of an existing stack. @throws `config.invalid`, `auth.failed` */
export async function stackOutputs(settings: CloudFormationSettings, name: string): Promise<StackOutputs> {
  return outputsIn(await call(settings, { Action: 'DescribeStacks', StackName: name }));
}

/** The value of the output whose name contains `part`: the CDK puts the construct before it and a hash after it. */
export function outputNamed(outputs: StackOutputs, part: string): string | undefined {
  return [...outputs].find(([name]) => name.includes(part))?.[1];
}

function outputsIn(answer: string): StackOutputs {
  const outputs = answer.matchAll(
    /<OutputKey>(?<key>[^<]*)<\/OutputKey>\s*<OutputValue>(?<value>[^<]*)<\/OutputValue>/g,
  );
  return new Map(
    [...outputs].map(({ groups }) => [groups?.['key'] ?? '', unescaped(groups?.['value'] ?? '')]),
  );
}

async function call(
  { region, endpoint = awsEndpoint('cloudformation', region), credentials }: CloudFormationSettings,
  parameters: Readonly<Record<string, string>>,
): Promise<string> {
  const request = {
    method: 'POST',
    origin: new URL(endpoint).origin,
    path: '/',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ ...parameters, Version: '2010-05-15' }).toString(),
  } as const;
  const sent = await sendToAws(request, { region, service: 'cloudformation', credentials }, systemClock);
  const attempted = `Cannot ask CloudFormation in region "${region}" to ${parameters['Action']} "${parameters['StackName']}"`;
  if (sent.kind !== 'answer') {
    throw new RegistrarError(
      'config.invalid',
      `${attempted}: ${faultText(sent.cause)}; check region and network`,
    );
  }
  if (sent.status === 200) return sent.text;
  const why = unescaped(sent.quoted(/<Message>([^<]*)</.exec(sent.text)?.[1]));
  throw new RegistrarError(
    sent.status === 403 ? 'auth.failed' : 'config.invalid',
    `${attempted}: ${sent.status} ${why}; check its name, the region and the credentials`,
  );
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

function unescaped(xml: string): string {
  return xml.replaceAll(/&(?:#(\d+)|(\w+));/g, (entity, code?: string, name = '') =>
    code === undefined ? (ENTITIES[name] ?? entity) : String.fromCodePoint(Number(code)),
  );
}
