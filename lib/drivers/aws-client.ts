import { RegistrarError } from '../errors.ts';
import { shortened, withoutTokens } from './tokens.ts';

/** The facts of an SDK error, without its response, which may contain secrets (I10). */
export interface AwsFault {
  /** `NoSuchKey`, `SlowDown`, `TimeoutError`, … */
  readonly name: string;
  readonly message: string;
  /** Undefined if there was no answer. */
  readonly status: number | undefined;
  readonly attempts: number;
  /** The region of the bucket, if the request went to another one. */
  readonly region?: string;
}

/** Reads an error of the AWS SDK. */
export function awsFault(error: unknown): AwsFault {
  if (!(error instanceof Error))
    return { name: 'Error', message: String(error), status: undefined, attempts: 1 };
  const { name } = error;
  const metadata = '$metadata' in error ? (error.$metadata as Record<string, unknown>) : {};
  const status = metadata['httpStatusCode'];
  const attempts = metadata['attempts'];
  const region = misplaced.has(name) ? answeredRegion(error) : undefined;
  if (name === 'Error' && error.message === 'Region is missing') {
    // The SDK gives this error neither a name nor a code (`@smithy/config-resolver`, `resolveRegionConfig`).
    return { name: NO_REGION, message: 'no region is known', status: undefined, attempts: 1 };
  }
  return {
    name,
    message: faultMessage(error.message),
    status: typeof status === 'number' ? status : undefined,
    attempts: typeof attempts === 'number' ? attempts : 1,
    ...(region !== undefined && { region }),
  };
}

const NO_REGION = 'RegionMissing';

/** S3's error codes for a request to another region than the bucket's. */
const misplaced: ReadonlySet<string> = new Set(['PermanentRedirect', 'AuthorizationHeaderMalformed']);

/** The region of the bucket, if the answer behind the error names it. */
export function answeredRegion(error: unknown): string | undefined {
  const { $response } = (error ?? {}) as { readonly $response?: { readonly headers?: Headers } };
  return $response?.headers?.['x-amz-bucket-region'];
}

type Headers = Readonly<Record<string, string>>;

/** The message of a service, without signatures of URLs, cut to one line. */
export function faultMessage(words: string): string {
  return shortened(withoutTokens(words));
}

/**
 * The error for a call that failed for good: `auth.failed` for refused or absent credentials, `config.invalid` where the region is missing
 * or the bucket is in another one, else `unavailable`.
 *
 * @param permission what the caller needs, such as `s3:ListBucket`
 */
export function awsError(
  unavailable: 'store.unavailable' | 'queue.unavailable',
  attempted: string,
  fault: AwsFault,
  permission?: string,
): RegistrarError {
  const denied = fault.status === 403 || isCredentialFault(fault);
  const misconfigured = fault.region !== undefined || fault.name === NO_REGION;
  return new RegistrarError(
    misconfigured ? 'config.invalid' : denied ? 'auth.failed' : unavailable,
    `Cannot ${attempted}: ${faultText(fault)}${wayOut(fault, permission)}`,
    { context: { status: fault.status, fault: fault.name, attempts: fault.attempts } },
  );
}

/** `404 NoSuchBucket: The specified bucket does not exist`. Of an answer that AWS did not write (a proxy's page), only the status. */
export function faultText(fault: AwsFault): string {
  const { status, name, message } = fault;
  if (isForeign(fault)) return `${status}, and not in the words of AWS`;
  return status === undefined ? message : `${status} ${name}: ${message}`;
}

/** Whether the service did not write the answer: it is a proxy's page, or empty. */
export function isForeign({ name }: AwsFault): boolean {
  return name === 'Unknown' || name === 'NotFound';
}

/** Whether the caller was refused (unknown key, expired token, wrong clock) and not just access to one object. */
export function isCredentialFault(fault: AwsFault): boolean {
  return credentialFaults.has(fault.name);
}

const credentialFaults: ReadonlySet<string> = new Set([
  'CredentialsProviderError',
  'ExpiredToken',
  'ExpiredTokenException',
  'InvalidAccessKeyId',
  'InvalidClientTokenId',
  'InvalidSecurity',
  'InvalidToken',
  'RequestExpired',
  'RequestTimeTooSkewed',
  'SignatureDoesNotMatch',
  'TokenRefreshRequired',
  'UnrecognizedClientException',
]);

/** The way out of a fault, with a leading semicolon; empty if there is none. */
export function wayOut(fault: AwsFault, permission?: string): string {
  if (fault.region !== undefined) {
    return `; the bucket is in "${fault.region}": set store.region to it, and leave store.endpoint out or name one of that region`;
  }
  if (fault.status === 403 && permission !== undefined && !isCredentialFault(fault) && !isForeign(fault))
    return `; allow the function's role ${permission}`;
  switch (fault.name) {
    case 'NoSuchBucket':
      return '; create the bucket or correct the URL';
    case 'PermanentRedirect':
    case 'AuthorizationHeaderMalformed':
      return '; set the region to that of the bucket';
    case 'QueueDoesNotExist':
    case 'AWS.SimpleQueueService.NonExistentQueue':
      return '; create the queue or correct its URL';
    case 'CredentialsProviderError':
      return '; give the function a role, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (AWS_PROFILE on a workstation), or store.access_key_id and store.secret_access_key in the configuration';
    case NO_REGION:
      return '; set AWS_REGION (for the store of segments and tables, store.region in the configuration does too)';
    default:
      return '';
  }
}
