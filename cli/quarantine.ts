import { Command, InvalidArgumentError } from 'commander';
import { nearest } from '../lib/config/nearest.ts';
import { ERROR_CODES, isErrorCode, RegistrarError } from '../lib/errors.ts';
import { namedTable } from '../lib/jobs/quarantine/named-table.ts';
import {
  type Failure,
  type FailureFilter,
  listFailures,
  type QuarantinesPorts,
  recordsOf,
} from '../lib/jobs/quarantine/quarantine-list.ts';
import { discard, type Redriven, redrive } from '../lib/jobs/quarantine/quarantine-redrive.ts';
import { wire } from '../lib/wire.ts';
import { helpText } from './help-text.ts';
import { printable, printableJson } from './printable.ts';
import { failuresText, redrivenText, storyText } from './quarantine-text.ts';

interface Flags {
  readonly table?: string;
  readonly code?: string;
  readonly all?: true;
  readonly absent?: true;
  readonly json?: true;
}

/** `quarantine list|show|redrive|discard`: exits 0 when all was done, 1 when something was not. */
export function quarantineCommand(): Command {
  const command = new Command('quarantine').description(
    'List segments that could not be registered, send them again, or mark them as settled. Deletes nothing.',
  );
  filtered(command.command('list').description('List open failures, oldest first'))
    .option('--all', 'include failures that were redriven or discarded')
    .addHelpText('after', helpText(['iceberg-registrar quarantine list --table analytics.orders']))
    .action(async (flags: Flags) => {
      const ports = await wired();
      const filter = await filterOf(ports, flags);
      const failures = await listFailures(ports, filter);
      print(flags, { failures: failures.map(failureJson) }, () => failuresText(failures, whyNone(filter)));
    });
  command
    .command('show')
    .description('Show every record of one segment or event: failures, attempts, answers')
    .argument('<uri>', 'URI of the segment or of a record')
    .option('--json', 'print one JSON object')
    .addHelpText('after', helpText(['iceberg-registrar quarantine show s3://lake/landing/orders/1.parquet']))
    .action(async (uri: string, flags: Flags) => {
      const records = await recordsOf(await wired(), uri);
      if (records.length === 0) throw notThere(uri);
      print(flags, { records }, () => storyText(records, uri));
    });
  filtered(command.command('redrive').description('Send failed segments to be registered again'))
    .argument(
      '[uri...]',
      'URIs of segments or records, discarded ones too; by default every open failure that the options select',
    )
    .option('--all', 'every open failure, where no URI, table or code is given')
    .option(
      '--absent',
      'confirm that the rows are not in the table, so that registration.unprovable needs no older history',
    )
    .addHelpText(
      'after',
      helpText(
        [
          'iceberg-registrar quarantine redrive --code segment.denied',
          'iceberg-registrar quarantine redrive s3://lake/landing/orders/1.parquet --absent',
        ],
        '0 everything was sent, 1 something was not',
      ),
    )
    .action(async (uris: readonly string[], flags: Flags) => {
      const ports = await wired();
      const isNamed = uris.length > 0;
      const failures = await listFailures(ports, { ...(await selection(ports, uris, flags)), all: isNamed });
      const toSend = failures.filter(({ state }) => state !== 'redriven');
      refuseUnknown(uris, toSend);
      const redriven = await redrive(toSend, ports, { absent: flags.absent ?? false });
      print(flags, { redriven: redriven.map(redrivenJson) }, () => redrivenText(redriven));
      if (redriven.some(({ sent }) => !sent)) process.exitCode = 1;
    });
  filtered(command.command('discard').description('Mark failures as needing no more attention'))
    .argument('[uri...]', 'URIs of segments or records; by default whatever the options select')
    .option('--all', 'every open failure, where no URI, table or code is given')
    .addHelpText(
      'after',
      helpText(['iceberg-registrar quarantine discard s3://lake/landing/orders/1.parquet']),
    )
    .action(async (uris: readonly string[], flags: Flags) => {
      const ports = await wired();
      const failures = await listFailures(ports, await selection(ports, uris, flags));
      refuseUnknown(uris, failures);
      await discard(failures, ports);
      print(flags, { discarded: failures.map(({ uri }) => uri) }, () => `${failures.length} discarded`);
    });
  return command;
}

function filtered(command: Command): Command {
  return command
    .option(
      '--table <table>',
      'only of this table, such as analytics.orders, or orders if no other namespace has one',
    )
    .option('--code <code>', 'only with this error code, such as segment.unreadable', errorCode)
    .option('--json', 'print one JSON object');
}

function errorCode(text: string): string {
  if (isErrorCode(text)) return text;
  const near = nearest(text, ERROR_CODES);
  throw new InvalidArgumentError(
    `there is no such code${near === undefined ? '' : `; the nearest is ${near}`}.`,
  );
}

const wired = () => wire(process.env, process.stderr);

/** What the options select. A table without records is told of on standard error, since it may be misspelled. */
async function filterOf(ports: QuarantinesPorts, { table, code, all }: Flags): Promise<FailureFilter> {
  const named = table === undefined ? undefined : await namedTable(ports, table);
  if (named !== undefined && 'known' in named) {
    const known = named.known.length === 0 ? 'none has any' : `there are some of ${named.known.join(', ')}`;
    console.error(printable(`No record in quarantine is of table "${table}": ${known}`));
  }
  return {
    ...(table !== undefined && { table: named !== undefined && 'table' in named ? named.table : table }),
    ...(code !== undefined && { code }),
    ...(all !== undefined && { all }),
  };
}

/** The failures to act on. They must be named: a command without a selection never acts on all of them. */
async function selection(
  ports: QuarantinesPorts,
  uris: readonly string[],
  flags: Flags,
): Promise<FailureFilter> {
  const { all, ...named } = await filterOf(ports, flags);
  if (uris.length > 0) return { ...named, uris };
  if (all === true || Object.keys(named).length > 0) return named;
  throw new RegistrarError(
    'config.invalid',
    'Cannot tell what to act on: give URIs, --table or --code, or --all for every open failure',
  );
}

/** @throws `config.invalid` before anything is done, when one of the URIs names no failure */
function refuseUnknown(uris: readonly string[], failures: readonly Failure[]): void {
  const named = new Set(failures.flatMap(({ uri, record }) => [uri, record.segment?.uri]));
  const unknown = uris.filter((uri) => !named.has(uri)).map((uri) => `"${uri}"`);
  if (unknown.length === 0) return;
  throw new RegistrarError(
    'config.invalid',
    `Cannot act on what is not in quarantine: there is no open failure of ${unknown.join(', ')} (nothing was done); quarantine show has the records of one`,
  );
}

function notThere(uri: string): RegistrarError {
  return new RegistrarError('config.invalid', `Cannot show "${uri}": the quarantine has no record of it`);
}

function whyNone({ table, code }: FailureFilter): string {
  return table === undefined && code === undefined
    ? 'nothing is in quarantine'
    : 'no open failure is as asked for; quarantine list, without options, has them all';
}

function print(flags: Flags, json: unknown, text: () => string): void {
  console.log(flags.json ? printableJson(json, 2) : text());
}

function failureJson({ uri, state, record }: Failure): unknown {
  return { uri, state, ...record };
}

function redrivenJson(redriven: Redriven): unknown {
  const segment = redriven.record.segment?.uri;
  const about = { uri: redriven.uri, ...(segment !== undefined && { segment }), sent: redriven.sent };
  return redriven.sent ? about : { ...about, reason: redriven.reason };
}
