import { setTimeout as sleep } from 'node:timers/promises';
import type { StoreService } from '../services/service.ts';

/** Creates a stack on LocalStack, whose CloudFormation is at its one endpoint; resolves when it stands. */
export async function createStack(service: StoreService, name: string, template: object): Promise<void> {
  await call(service, { Action: 'CreateStack', StackName: name, TemplateBody: JSON.stringify(template) });
  for (;;) {
    const answer = await call(service, { Action: 'DescribeStacks', StackName: name });
    const status = /<StackStatus>(\w+)</.exec(answer)?.[1] ?? answer;
    if (status === 'CREATE_COMPLETE') return;
    if (status !== 'CREATE_IN_PROGRESS') throw new Error(`Cannot create stack "${name}": ${status}`);
    await sleep(200);
  }
}

/** LocalStack tells services apart by the scope of the signature, which it does not verify. */
async function call(service: StoreService, parameters: Readonly<Record<string, string>>): Promise<string> {
  const response = await fetch(service.endpoint, {
    method: 'POST',
    headers: {
      authorization: `AWS4-HMAC-SHA256 Credential=${service.accessKeyId}/20260101/${service.region}/cloudformation/aws4_request, SignedHeaders=host, Signature=0`,
    },
    body: new URLSearchParams({ ...parameters, Version: '2010-05-15' }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`Cannot ${parameters['Action']}: ${response.status} ${text}`);
  return text;
}
