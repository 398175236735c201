import { RegistrarError } from '../../lib/errors.ts';
import type { Resource, Template } from './cloudformation.ts';

/** A function in the template that a queue invokes. */
export interface FedFunction {
  /** The name of its bundle: `route`. */
  readonly name: string;
  /** The logical ID of its queue. */
  readonly queue: string;
  readonly batchSize: number;
  readonly windowSeconds: number;
  readonly timeoutSeconds: number;
  /** Texts, or references to resources. */
  readonly variables: Readonly<Record<string, unknown>>;
}

/** The part of a synthesized stack that LocalStack runs: queues, their policies, and the rules that notify them of uploads. */
export function localPart({ Resources, Outputs }: Template): Template {
  const kept = Object.entries(Resources).filter(([, resource]) => isLocal(resource));
  return { Resources: Object.fromEntries(kept), ...(Outputs !== undefined && { Outputs }) };
}

function isLocal({ Type, Properties }: Resource): boolean {
  if (Type.startsWith('AWS::SQS::')) return true;
  // The other rules are schedules.
  return (
    Type === 'AWS::Events::Rule' && JSON.stringify(Properties?.['EventPattern'] ?? '').includes('aws.s3')
  );
}

/** The names of the queues by their logical IDs. */
export function queueNames({ Resources }: Template): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(Resources).flatMap(([id, { Type, Properties }]) =>
      Type === 'AWS::SQS::Queue' ? [[id, String(Properties?.['QueueName'])]] : [],
    ),
  );
}

/** Every function that a queue invokes, with the numbers of its event source mapping. @throws `config.invalid` */
export function fedFunctions({ Resources }: Template): readonly FedFunction[] {
  const all = Object.entries(Resources);
  const ofType = (type: string) => all.filter(([, { Type }]) => Type === type);
  return ofType('AWS::Lambda::EventSourceMapping').map(([mappingId, { Properties: mapping = {} }]) => {
    const names = (id: string, where: unknown) => JSON.stringify(where).includes(`"${id}"`);
    const [, alias] = ofType('AWS::Lambda::Alias').find(([id]) => names(id, mapping['FunctionName'])) ?? [];
    const [, called] =
      ofType('AWS::Lambda::Function').find(([id]) => names(id, alias?.Properties?.['FunctionName'])) ?? [];
    const [queue] = ofType('AWS::SQS::Queue').find(([id]) => names(id, mapping['EventSourceArn'])) ?? [];
    const properties = called?.Properties;
    if (properties === undefined || queue === undefined) {
      throw new RegistrarError(
        'config.invalid',
        `Cannot run "${mappingId}" here: the template does not say which queue feeds which function; synthesize it again`,
      );
    }
    const environment = properties['Environment'] as
      | { readonly Variables?: Record<string, unknown> }
      | undefined;
    return {
      name: /[^-]+$/.exec(String(properties['FunctionName']))?.[0] ?? '',
      queue,
      batchSize: Number(mapping['BatchSize'] ?? 10),
      windowSeconds: Number(mapping['MaximumBatchingWindowInSeconds'] ?? 0),
      timeoutSeconds: Number(properties['Timeout'] ?? 3),
      variables: environment?.Variables ?? {},
    };
  });
}
