/** What a failure affects: one segment, the message that named it, or the whole invocation. */
export type ErrorScope = 'segment' | 'message' | 'system';

/**
 * Every failure that a user can meet, and what happens next: `segment` failures are quarantined and acknowledged, `message`
 * failures return to the queue with the rest of their group, `system` failures fail the batch or the start.
 */
const scopes = {
  'config.invalid': 'system',
  'auth.failed': 'system',
  'catalog.unavailable': 'message',
  'catalog.conflict': 'message',
  'catalog.commit_unknown': 'message',
  'catalog.refused': 'message',
  'store.unavailable': 'message',
  'queue.unavailable': 'message',
  'invocation.timeout': 'message',
  'internal.error': 'message',
  'table.missing': 'message',
  'table.unsupported': 'message',
  'event.newer_version': 'message',
  'event.malformed': 'segment',
  'key.unroutable': 'segment',
  'segment.missing': 'segment',
  'segment.unreadable': 'segment',
  'segment.inconsistent': 'segment',
  'segment.replaced': 'segment',
  'segment.denied': 'segment',
  'registration.unprovable': 'segment',
  'sink.iceberg_schema_mismatch': 'segment',
  'sink.iceberg_unsupported_type': 'segment',
  'sink.iceberg_partition_undetermined': 'segment',
} as const satisfies Record<string, ErrorScope>;

/** The stable name of a failure; callers switch on it and never on the message. */
export type ErrorCode = keyof typeof scopes;

export const ERROR_CODES = Object.keys(scopes) as readonly ErrorCode[];

export function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(scopes, code);
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
    return scopes[this.code];
  }

  /** Whether the same may succeed later, as it is: not what is wrong with a segment or the configuration. */
  get retryable(): boolean {
    return this.scope !== 'segment' && this.code !== 'config.invalid';
  }
}
