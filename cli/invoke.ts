import { Argument, Command } from 'commander';
import { counted } from '../lib/counted.ts';
import { decodeEvent } from '../lib/event/decode-event.ts';
import type { BatchResponse } from '../lib/report/batch-response.ts';
import type { TableOutcome } from '../local/invoke-stack.ts';
import { lambdaContext } from '../local/lambda-context.ts';
import { readEvent } from './event-file.ts';
import { helpText } from './help-text.ts';
import { escapedJson, printable, printableJson } from './printable.ts';

const INVOCATION_MS = 60_000;

/** `iceberg-registrar invoke register events/chunk-message.json` */
export function invokeCommand(): Command {
  return new Command('invoke')
    .description(
      'Run the deployed handler with an event: on the services of REGISTRAR_CONFIG, or without one on an embedded stack, which has S3 only, to which generated segments for the event are uploaded first',
    )
    .addArgument(new Argument('<function>', 'the function to run').choices(['register', 'route']))
    .argument('<event>', 'a JSON file with the event as the function receives it')
    .option('--json', 'print only one JSON object')
    .addHelpText(
      'after',
      helpText(
        [
          'iceberg-registrar invoke route events/s3-put.json',
          'REGISTRAR_CONFIG=registrar.yaml iceberg-registrar invoke register events/chunk-message.json',
        ],
        '0 every message is done, 1 a message would be delivered again, or the handler failed (the log says why)',
      ),
    )
    .action(async (name: string, file: string, { json = false }: { json?: boolean }) => {
      const event = await readEvent(file);
      const run = async () =>
        process.env['REGISTRAR_CONFIG'] === undefined
          ? invokeOnStack(name, event)
          : { answer: await invoke(name, event) };
      const result = await withLogOn(json ? process.stderr : process.stdout, run);
      if (json) console.log(printableJson(result));
      else print(result);
      if (result.answer.batchItemFailures.length > 0) process.exitCode = 1;
    });
}

interface Result {
  readonly answer: BatchResponse;
  readonly uploaded?: readonly string[];
  readonly messages?: readonly string[];
  readonly tables?: readonly TableOutcome[];
}

/** A handler logs JSON to standard output, as it is, since that is what Lambda collects. */
async function withLogOn<T>(stream: NodeJS.WriteStream, work: () => Promise<T>): Promise<T> {
  const { write } = process.stdout;
  const send = stream.write.bind(stream);
  process.stdout.write = (lines: string | Uint8Array) => send(escapedJson(String(lines)));
  try {
    return await work();
  } finally {
    process.stdout.write = write;
  }
}

async function invokeOnStack(name: string, event: unknown): Promise<Result> {
  const { startInvokeStack } = await import('../local/invoke-stack.ts');
  const stack = await startInvokeStack(decodeEvent(event).messages.flatMap(({ references }) => references));
  try {
    Object.assign(process.env, stack.environment);
    const answer = await invoke(name, event);
    return { answer, uploaded: stack.uploaded, ...stack.outcome() };
  } finally {
    await stack.close();
  }
}

async function invoke(name: string, event: unknown): Promise<BatchResponse> {
  const { handler } =
    name === 'route' ? await import('../functions/route.ts') : await import('../functions/register.ts');
  return handler(
    event,
    lambdaContext({
      functionName: name,
      requestId: 'local',
      deadlineMs: Date.now() + INVOCATION_MS,
      now: Date.now,
    }),
  );
}

function print({ answer, uploaded = [], messages = [], tables = [] }: Result): void {
  for (const uri of uploaded) console.log(`uploaded  ${printable(uri)}`);
  console.log(`answer    ${printableJson(answer)}`);
  for (const body of messages) console.log(`message   ${escapedJson(body)}`);
  for (const { table, snapshots, rows, columns } of tables) {
    const figures = `${counted(BigInt(rows), 'row')}, ${counted(snapshots, 'snapshot')}`;
    console.log(printable(`table     ${table}: ${figures}, columns ${columns.join(', ')}`));
  }
}
