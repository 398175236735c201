import { type ErrorCode, isErrorCode, RegistrarError } from '../../errors.ts';
import type { ReconcilePorts } from './reconcile.ts';
import { type ReconcileAllOptions, reconcileAll } from './reconcile-all.ts';
import { type Reconciliation, totals } from './reconcile-report.ts';

/** The event that a schedule sends, and that a run which is out of time asks for next. Every member is optional. */
export interface ReconcileRequest {
  readonly dataset?: string;
  /** `2026-01-31`, or with a time: objects uploaded earlier are skipped. */
  readonly since?: string;
  readonly startAfter?: string;
  /** The table that was being compared there. */
  readonly table?: string;
  /** @default enqueue */
  readonly missing?: 'report' | 'enqueue';
  /** The first error of an earlier run of the same comparison. */
  readonly failed?: { readonly code: ErrorCode; readonly message: string };
}

/** Limited in size, since an event carries it. The figures of each dataset are in the log. */
export interface ReconcileAnswer {
  /** Number of datasets compared. */
  readonly datasets: number;
  /** Figures over all of them. */
  readonly totals: Readonly<Record<string, number>>;
  /** The request to continue with; absent when everything was compared. The deployment sends it back. */
  readonly next?: ReconcileRequest;
}

/**
 * The job of `functions/reconcile.ts`.
 *
 * @throws the first error of a dataset, after all others were compared in one or more passes, so that the invocation counts as
 *   failed; `invocation.timeout` when a whole pass was too short for its first step; `config.invalid` for an invalid request
 */
export async function reconcileRequest(
  event: unknown,
  ports: ReconcilePorts,
  remainingMs: () => number,
): Promise<ReconcileAnswer> {
  const request = requestOf(event);
  const reconciled: Reconciliation[] = [];
  const errors: RegistrarError[] = [];
  for await (const result of reconcileAll(ports, optionsOf(request), remainingMs)) {
    if (!('error' in result)) reconciled.push(result);
    else {
      errors.push(result.error);
      ports.log.error({ event: 'reconcile-failed', ...result });
    }
  }
  const first =
    errors[0] ?? (request.failed && new RegistrarError(request.failed.code, request.failed.message));
  const { resumeAfter: startAfter, table } = reconciled.at(-1) ?? {};
  if (startAfter === undefined && first !== undefined) throw first;
  if (startAfter !== undefined && startAfter === request.startAfter && table === request.table)
    throw stuck(startAfter);
  const failed = first && { code: first.code, message: first.message };
  return {
    datasets: reconciled.length,
    totals: totals(reconciled),
    ...(startAfter !== undefined && {
      next: { ...request, startAfter, ...(table !== undefined && { table }), ...(failed && { failed }) },
    }),
  };
}

/** The error for a run that could not finish its first step, since another run could not either. */
function stuck(startAfter: string): RegistrarError {
  return new RegistrarError(
    'invocation.timeout',
    `Cannot reconcile beyond "${startAfter}": a whole invocation is too short for the first objects after it; ` +
      "give the function more memory, rewrite the table's manifests, or run iceberg-registrar reconcile by hand, which has no limit of time",
  );
}

function requestOf(event: unknown): ReconcileRequest {
  const { dataset, since, startAfter, table, missing, failed } = (event ?? {}) as Readonly<
    Record<string, unknown>
  >;
  if (missing !== undefined && missing !== 'report' && missing !== 'enqueue') {
    throw new RegistrarError(
      'config.invalid',
      `Cannot reconcile: "missing" is ${JSON.stringify(missing)}; it is "report" or "enqueue"`,
    );
  }
  return {
    ...(typeof dataset === 'string' && { dataset }),
    ...(typeof since === 'string' && { since }),
    ...(typeof startAfter === 'string' && { startAfter }),
    ...(typeof table === 'string' && { table }),
    ...(missing !== undefined && { missing }),
    ...(isFailure(failed) && { failed }),
  };
}

function isFailure(failed: unknown): failed is NonNullable<ReconcileRequest['failed']> {
  const { code, message } = (failed ?? {}) as Readonly<Record<string, unknown>>;
  return isErrorCode(code) && typeof message === 'string';
}

function optionsOf({
  since,
  missing = 'enqueue',
  failed: _,
  ...rest
}: ReconcileRequest): ReconcileAllOptions {
  return { ...rest, missing, ...(since !== undefined && { sinceMs: instant(since) }) };
}

/** Without a zone, a date is in UTC and a time is local, as ECMAScript has it. */
const ISO_8601 = /^(?<day>\d{4}-\d{2}-\d{2})(?:[T ].+)?$/;

/** Milliseconds since 1970 of a date or a time. @throws `config.invalid` */
export function instant(text: string): number {
  const { day } = ISO_8601.exec(text)?.groups ?? {};
  const ms = Date.parse(text);
  // Date.parse takes "5" for a month, and turns February 30 into a day in March.
  const dayMs = Date.parse(`${day}T00:00Z`);
  const isDay = !Number.isNaN(dayMs) && new Date(dayMs).toISOString().startsWith(`${day}T`);
  if (isDay && !Number.isNaN(ms)) return ms;
  throw new RegistrarError(
    'config.invalid',
    `Cannot understand the time "${text}": write 2026-01-31 or 2026-01-31T12:00:00Z`,
  );
}
