import { RegistrarError } from '../../errors.ts';
import type { ReconcilePorts } from './reconcile.ts';
import { type ReconcileAllOptions, reconcileAll } from './reconcile-all.ts';
import { figures, type Reconciliation } from './reconcile-report.ts';

/** What a schedule sends, and what a pass that ran out of time is to be sent next. All of it optional. */
export interface ReconcileRequest {
  readonly dataset?: string;
  /** `2026-01-31`, or with a time: objects uploaded before are not looked at. */
  readonly since?: string;
  readonly startAfter?: string;
  /** @default enqueue */
  readonly missing?: 'report' | 'enqueue';
}

export interface ReconcileAnswer {
  readonly reconciled: readonly ReturnType<typeof figures>[];
  /** The request to go on with; absent when all was looked at. */
  readonly next?: ReconcileRequest;
}

/**
 * The job of `functions/reconcile.ts`.
 *
 * @throws the first dataset's error, after all others were looked at, so that the invocation counts as failed; `config.invalid` for a request that makes no sense
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
  const [first] = errors;
  if (first !== undefined) throw first;
  const startAfter = reconciled.at(-1)?.resumeAfter;
  return {
    reconciled: reconciled.map(figures),
    ...(startAfter !== undefined && { next: { ...request, startAfter } }),
  };
}

function requestOf(event: unknown): ReconcileRequest {
  const { dataset, since, startAfter, missing } = (event ?? {}) as Readonly<Record<string, unknown>>;
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
    ...(missing !== undefined && { missing }),
  };
}

function optionsOf({ since, missing = 'enqueue', ...rest }: ReconcileRequest): ReconcileAllOptions {
  return { ...rest, missing, ...(since !== undefined && { sinceMs: instant(since) }) };
}

/** Milliseconds since 1970 of a date or a time. @throws `config.invalid` */
export function instant(text: string): number {
  const ms = Date.parse(text);
  if (!Number.isNaN(ms)) return ms;
  throw new RegistrarError(
    'config.invalid',
    `Cannot understand the time "${text}": write 2026-01-31 or 2026-01-31T12:00:00Z`,
  );
}
