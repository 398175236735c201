/** What a failure affects: one segment, the message that named it, or the whole invocation. */
export type ErrorScope = 'segment' | 'message' | 'system';

interface Disposition {
  readonly scope: ErrorScope;
  readonly retryable: boolean;
}

/**
 * Every failure that a user can meet, and what happens next: `segment` failures are quarantined and acknowledged, `message`
 * failures return to the queue with the rest of their group, `system` failures fail the batch or the start.
 */
const dispositions = {
  'config.invalid': { scope: 'system', retryable: false },
  'auth.failed': { scope: 'system', retryable: true },
  'catalog.unavailable': { scope: 'message', retryable: true },
  'catalog.conflict': { scope: 'message', retryable: true },
  'catalog.commit_unknown': { scope: 'message', retryable: true },
  'catalog.refused': { scope: 'message', retryable: true },
  'store.unavailable': { scope: 'message', retryable: true },
  'queue.unavailable': { scope: 'message', retryable: true },
  'invocation.timeout': { scope: 'message', retryable: true },
  'internal.error': { scope: 'message', retryable: true },
  'table.missing': { scope: 'message', retryable: true },
  'table.unsupported': { scope: 'message', retryable: true },
  'event.newer_version': { scope: 'message', retryable: true },
  'event.malformed': { scope: 'segment', retryable: false },
  'key.unroutable': { scope: 'segment', retryable: false },
  'segment.missing': { scope: 'segment', retryable: false },
  'segment.unreadable': { scope: 'segment', retryable: false },
  'segment.inconsistent': { scope: 'segment', retryable: false },
  'segment.replaced': { scope: 'segment', retryable: false },
  'segment.denied': { scope: 'segment', retryable: false },
  'registration.unprovable': { scope: 'segment', retryable: false },
  'sink.iceberg_schema_mismatch': { scope: 'segment', retryable: false },
  'sink.iceberg_unsupported_type': { scope: 'segment', retryable: false },
  'sink.iceberg_partition_undetermined': { scope: 'segment', retryable: false },
} as const satisfies Record<string, Disposition>;

/** The stable name of a failure; callers switch on it and never on the message. */
export type ErrorCode = keyof typeof dispositions;

export const ERROR_CODES = Object.keys(dispositions) as readonly ErrorCode[];

export function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(dispositions, code);
}

/** Facts in addition to the message, for logs and quarantine records. Never a secret (I10). */
export type ErrorContext = Readonly<Record<string, string | number | bigint | boolean | undefined>>;

/** The message of whatever was thrown. */
export function messageOf(fault: unknown): string {
  return fault instanceof Error ? fault.message : String(fault);
}

/**
 * The one error of this project. The message reads: what was attempted, the value in quotes, the limit, the way out.
 *
 * @example
 * throw new RegistrarError('segment.unreadable', `Cannot read the footer of "${uri}": the file ends in "PARE"`);
 */
export class RegistrarError extends Error {
  override readonly name = 'RegistrarError';
  readonly code: ErrorCode;
  readonly context: ErrorContext;

  constructor(code: ErrorCode, message: string, options: { context?: ErrorContext; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.context = options.context ?? {};
  }

  get scope(): ErrorScope {
    return dispositions[this.code].scope;
  }

  get retryable(): boolean {
    return dispositions[this.code].retryable;
  }
}
