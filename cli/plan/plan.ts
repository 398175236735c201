import { Command } from 'commander';
import { RegistrarError } from '../../lib/errors.ts';
import { decodeEvent } from '../../lib/event/decode-event.ts';
import { referenceTo } from '../../lib/event/segment-reference.ts';
import { type Plan, plan } from '../../lib/jobs/plan/plan.ts';
import { wire } from '../../lib/wire.ts';
import { readEvent } from '../event-file.ts';
import { helpText } from '../help-text.ts';
import { printableJson } from '../printable.ts';
import { planJson, planText } from './plan-report.ts';

/** `plan s3://…|gs://…|EVENT.json`: exits 0 when something would be registered, 3 when something would be refused, 4 when there is nothing to do. */
export function planCommand(): Command {
  return new Command('plan')
    .description(
      'Show what a registration would do, without doing it: tables, schema changes, partitions, commits, refusals',
    )
    .argument(
      '<what>',
      's3://bucket/key, gs://bucket/key, or a JSON file with an event as a function receives it; without REGISTRAR_CONFIG the segments of an event are generated on an embedded stack, which has S3 only',
    )
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      helpText(
        [
          'iceberg-registrar plan events/s3-put.json',
          'REGISTRAR_CONFIG=registrar.yaml iceberg-registrar plan s3://lake/thadam/v1/cdc/orders/17.parquet',
        ],
        '0 something would be registered, 3 something would be refused, 4 nothing to do, 1 the message would be delivered again',
      ),
    )
    .action(async (what: string, { json = false }: { json?: boolean }) => {
      const event = what.includes('://') ? objectEvent(what) : await readEvent(what);
      const planned =
        process.env['REGISTRAR_CONFIG'] === undefined && !what.includes('://')
          ? await planOnStack(event)
          : await planWith(event, process.env);
      console.log(json ? printableJson(planJson(planned), 2) : planText(planned));
      process.exitCode = exitCode(planned);
    });
}

async function planWith(event: unknown, environment: NodeJS.ProcessEnv): Promise<Plan> {
  return plan(event, await wire(environment, process.stderr));
}

async function planOnStack(event: unknown): Promise<Plan> {
  const { startInvokeStack } = await import('../../local/invoke-stack.ts');
  const stack = await startInvokeStack(decodeEvent(event).messages.flatMap(({ references }) => references));
  try {
    return await planWith(event, { ...process.env, ...stack.environment });
  } finally {
    await stack.close();
  }
}

/** The chunk message of one object. */
function objectEvent(uri: string): unknown {
  const reference = referenceTo(uri);
  if (reference === undefined) {
    throw new RegistrarError(
      'event.malformed',
      `Cannot plan "${uri}": give an object as s3://bucket/key or gs://bucket/key`,
    );
  }
  return { v: 1, segments: [reference] };
}

function exitCode({ outcomes, rejected }: Plan): number {
  const has = (kind: string) => outcomes.some((outcome) => outcome.kind === kind);
  const refused = outcomes.some((outcome) => 'error' in outcome && outcome.error.scope === 'segment');
  if (refused || rejected.length > 0) return 3;
  if (has('failed')) return 1;
  return has('committed') ? 0 : 4;
}
