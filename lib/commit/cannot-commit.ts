import { type ErrorCode, type ErrorContext, RegistrarError } from '../errors.ts';
import { formatIdentifier, type TableIdentifier } from '../spec/table-identifier.ts';

/** Why a commit is given up. Each message ends in what happens next, or in the way out. */

export function conflict(table: TableIdentifier, attempts: number, message: string): RegistrarError {
  return cannotCommit(
    'catalog.conflict',
    table,
    ` within ${attempts} attempts and the time of this invocation: the last answer was "${message}"; the messages are delivered again`,
  );
}

export function refused(table: TableIdentifier, message: string): RegistrarError {
  return cannotCommit(
    'catalog.refused',
    table,
    `: the catalog refuses the request although it was staged on the newest metadata: "${message}"`,
  );
}

export function throttled(table: TableIdentifier, message: string, askedMs: number): RegistrarError {
  return cannotCommit(
    'catalog.unavailable',
    table,
    ' within the attempts and the time of this invocation: the catalog asks to slow down, and to ' +
      `wait ${Math.ceil(askedMs / 1000)} s: "${message}"; the messages are delivered again`,
    { retryAfterMs: askedMs },
  );
}

export function outOfTime(table: TableIdentifier, neededMs: number): RegistrarError {
  return cannotCommit(
    'invocation.timeout',
    table,
    `: this invocation has less than ${neededMs / 1000} s left, and the catalog needs time to answer; the messages are delivered again`,
  );
}

export function missing(table: TableIdentifier, message: string): RegistrarError {
  return cannotCommit(
    'table.missing',
    table,
    `: the catalog has no such table ("${message}"); create it or set create_table: true`,
  );
}

function cannotCommit(
  code: ErrorCode,
  identifier: TableIdentifier,
  why: string,
  context: ErrorContext = {},
): RegistrarError {
  const table = formatIdentifier(identifier);
  return new RegistrarError(code, `Cannot commit to table "${table}"${why}`, {
    context: { table, ...context },
  });
}
