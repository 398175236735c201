/** A plan as JSON, for programs, and as text, for people. */
import { styleText } from 'node:util';
import { segmentUri } from '../../lib/event/segment-reference.ts';
import type { Plan, PlannedTable } from '../../lib/jobs/plan/plan.ts';
import type { SegmentOutcome } from '../../lib/report/outcome.ts';
import { stringifyJson } from '../../lib/spec/json.ts';
import { printable } from '../printable.ts';
import { readableValue } from '../readable-value.ts';

type Committed = SegmentOutcome & { readonly kind: 'committed' };

/** Partition values by field name as text, `null` where they are null. */
export function planJson({ tables, outcomes, ignored, rejected, files }: Plan): unknown {
  return {
    tables: tables.map(({ table, created, schemaChanges, commits }) => ({
      table,
      ...(created !== undefined && {
        created: {
          location: created.location,
          formatVersion: created.formatVersion,
          schema: created.currentSchema,
          partitionSpec: created.defaultSpec,
          properties: created.properties,
        },
      }),
      schemaChanges,
      commits,
    })),
    segments: outcomes.map((outcome) => ({
      uri: segmentUri(outcome.reference),
      ...(outcome.table !== undefined && { table: outcome.table }),
      ...verdict(outcome, tables),
    })),
    ignored,
    rejected: rejected.map(({ code, message }) => ({ code, message })),
    files,
  };
}

function verdict(outcome: SegmentOutcome, tables: readonly PlannedTable[]): object {
  switch (outcome.kind) {
    case 'committed':
      return { would: 'register', partition: partitionOf(outcome, tables) };
    case 'already-registered':
      return { would: 'skip', registeredIn: outcome.snapshotId };
    case 'ignored':
      return { would: 'ignore', reason: outcome.reason };
    case 'quarantined':
      return { would: 'quarantine', code: outcome.error.code, message: outcome.error.message };
    case 'failed':
      return { would: 'retry', code: outcome.error.code, message: outcome.error.message };
  }
}

function partitionOf(
  { table, partition }: Committed,
  tables: readonly PlannedTable[],
): Readonly<Record<string, string | null>> {
  const fields = tables.find((planned) => planned.table === table)?.partitionFields ?? [];
  return Object.fromEntries(
    fields.map(({ field, resultType }, index) => {
      const value = partition[index] ?? null;
      return [field.name, value === null ? null : readableValue(resultType, value)];
    }),
  );
}

export function planText({ tables, outcomes, ignored, rejected, files }: Plan): string {
  return [
    ...outcomes.flatMap((outcome) => segmentLines(outcome, tables)),
    ...ignored.map((reason) => line('ignored', reason)),
    ...rejected.map(({ code, message }) =>
      line(styleText('red', 'refused'), printable(`${code}: ${message}`)),
    ),
    ...tables.flatMap(tableLines),
    ...files.map(({ uri, sizeBytes }) =>
      line('file', `${printable(uri)}, ${sizeBytes.toLocaleString('en')} bytes`),
    ),
    'Nothing was done.',
  ].join('\n');
}

function segmentLines(outcome: SegmentOutcome, tables: readonly PlannedTable[]): readonly string[] {
  const uri = printable(segmentUri(outcome.reference));
  switch (outcome.kind) {
    case 'committed': {
      const values = Object.entries(partitionOf(outcome, tables)).map(([name, value]) => `${name}=${value}`);
      const partition = values.length === 0 ? '' : ` in partition ${printable(values.join('/'))}`;
      return [line(styleText('green', 'register'), `${uri}${partition}`)];
    }
    case 'already-registered':
      return [line('skip', `${uri}: registered in snapshot ${outcome.snapshotId}`)];
    case 'ignored':
      return [line('ignored', `${uri}: ${ignoredBecause[outcome.reason] ?? outcome.reason}`)];
    case 'quarantined':
      return refusal(styleText('red', 'refused'), uri, outcome.error);
    case 'failed':
      return refusal(styleText('yellow', 'retried'), uri, outcome.error);
  }
}

/** Reasons that need more explanation than their name. */
const ignoredBecause: Readonly<Record<string, string>> = {
  missing: 'missing, the store has no such object',
  unroutable: 'unroutable, neither url and layout nor pipeline and from lead to a table',
};

function refusal(
  label: string,
  uri: string,
  { code, message }: { readonly code: string; readonly message: string },
): readonly string[] {
  return [line(label, uri), ...`${code}: ${message}`.split('\n').map((text) => line('', printable(text)))];
}

function tableLines({ table, created, schemaChanges, commits }: PlannedTable): readonly string[] {
  const made = created && `, made at ${created.location}, format version ${created.formatVersion}`;
  return [
    line('table', printable(`${table}${made ?? ''}`)),
    ...schemaChanges.map((change) => line('', printable(change))),
    ...commits.flatMap(({ requirements, updates }) => [
      line('commit', ''),
      ...requirements.map((requirement) => line('', `if ${printable(stringifyJson(requirement))}`)),
      ...updates.map((update) => line('', printable(stringifyJson(update)))),
    ]),
  ];
}

const LABEL_WIDTH = 10;

function line(label: string, text: string): string {
  const width = LABEL_WIDTH + label.length - stripped(label).length;
  return `${label.padEnd(width)}${text}`.trimEnd();
}

const stripped = (text: string): string => text.replaceAll(/\p{Cc}\[\d+m/gu, '');
