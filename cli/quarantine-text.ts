/** Failures in quarantine, for people. */
import { counted } from '../lib/counted.ts';
import type { ErrorCode } from '../lib/errors.ts';
import type { Failure } from '../lib/jobs/quarantine/quarantine-list.ts';
import type { Redriven } from '../lib/jobs/quarantine/quarantine-redrive.ts';
import type { QuarantineRecord } from '../lib/ports.ts';
import { printable, printableLines } from './printable.ts';

/** A line for each failure, and below it what failed and why, with the way out. */
export function failuresText(failures: readonly Failure[], whyNone: string): string {
  if (failures.length === 0) return whyNone;
  const blocks = failures.flatMap(({ uri, state, record }) => {
    const { at, code, table, segment, message } = record;
    const head = [at, state, code, table].filter((part) => part !== undefined).join('  ');
    const what = segment?.uri ?? `event ${uri}`;
    return [printable(head), ...indented([printable(what), ...linesOf(message)])];
  });
  const total = counted(failures.length, 'failure');
  return [...blocks, total].join('\n');
}

type Story = readonly { readonly uri: string; readonly record: QuarantineRecord }[];

/** What a segment or event went through, oldest first, and what to do next. */
export function storyText(story: Story, uri: string): string {
  const records = story.map(({ record }) => record);
  const failures = story.filter(({ record }) => record.kind === 'failure');
  const { table, segment } = records[0] ?? {};
  const size = segment?.sizeBytes === undefined ? '' : `, ${counted(segment.sizeBytes, 'byte')}`;
  const etag = segment?.etag === undefined ? '' : `, ETag ${segment.etag}`;
  const tries = records.filter(({ kind }) => kind === 'trying').length;
  return [
    segment === undefined ? `event    ${printable(uri)}` : `segment  ${printable(segment.uri + size + etag)}`,
    ...(table === undefined ? [] : [`table    ${printable(table)}`]),
    `failed   ${times(failures.length)}${tries === 0 ? '' : `, tried alone ${times(tries)}`}`,
    '',
    ...records.flatMap(({ at, kind, code, message, interrupted, body }) => [
      printable([at, kind, code].filter((part) => part !== undefined).join('  ')),
      ...indented([
        ...linesOf(message),
        ...(interrupted ? ['ended by an outage or lack of time'] : []),
        ...(body === undefined ? [] : [`body ${printable(body)}`]),
      ]),
    ]),
    '',
    ...nextSteps(story, segment?.uri ?? uri),
  ].join('\n');
}

const times = (count: number): string => (count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`);

/** Where sending it again is not the way out, or not all of it. */
const BEFORE: Readonly<Partial<Record<ErrorCode, string>>> = {
  'segment.unreadable':
    'upload it again under a new key and discard this one; redrive only if the file is whole',
  'segment.replaced': 'iceberg-registrar repair --replace takes the new contents; discard this afterwards',
  'registration.unprovable':
    'look whether its rows are in the table: discard it if so, else redrive with --absent',
  'event.malformed': 'find out who sends it',
  'internal.error': 'please report it, with the message; redrive after the update',
};

function nextSteps(story: Story, uri: string): readonly string[] {
  const answered = new Map(story.map(({ record }) => [record.answers, record.kind]));
  const open = story.findLast(
    ({ uri: of, record }) =>
      record.kind === 'failure' && !['redriven', 'discarded'].includes(answered.get(of) ?? ''),
  );
  if (open === undefined) return ['Nothing is left to do: every failure is redriven or discarded.'];
  const { code } = open.record;
  const absent = code === 'registration.unprovable' ? ' --absent' : '';
  const before = (code && BEFORE[code]) ?? 'correct the cause, which the message names, then redrive';
  return [
    `What to do: ${before} (docs/quarantine.md#codes)`,
    ...indented([
      `iceberg-registrar quarantine redrive ${quoted(uri)}${absent}`,
      `iceberg-registrar quarantine discard ${quoted(uri)}`,
    ]),
  ];
}

/** To be copied into a shell. */
function quoted(uri: string): string {
  return `'${printable(uri).replaceAll("'", `'\\''`)}'`;
}

export function redrivenText(redriven: readonly Redriven[]): string {
  const kept = redriven.flatMap((one) => (one.sent ? [] : [`kept  ${one.uri}: ${one.reason}`]));
  return [...kept, `${redriven.length - kept.length} sent again, ${kept.length} kept`]
    .map(printable)
    .join('\n');
}

function linesOf(message: string | undefined): readonly string[] {
  return message === undefined ? [] : printableLines(message).split('\n');
}

function indented(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `    ${line}`);
}
