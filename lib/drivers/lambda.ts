import { RegistrarError } from '../errors.ts';
import type { Clock } from '../ports.ts';
import { faultText, httpSender } from './http.ts';
import { withoutSecrets } from './rest-catalog/redaction.ts';
import { awsSignature } from './rest-catalog/sigv4.ts';

/** Lambda's maximum duration of an invocation. */
const TIMEOUT_MS = 15 * 60_000;

export interface LambdaSettings {
  readonly region: string;
  /** @default AWS's endpoint of the region */
  readonly endpoint?: string | undefined;
}

/**
 * Invokes a function with the caller's credentials (`lambda:InvokeFunction`) and waits for its answer.
 *
 * @param name the function's name or ARN, with or without an alias after a colon
 * @throws `auth.failed`, `config.invalid` if the function does not exist, `internal.error` if it fails
 */
export async function invokeFunction(
  name: string,
  payload: unknown,
  { region, endpoint = `https://lambda.${region}.amazonaws.com` }: LambdaSettings,
  clock: Clock,
): Promise<unknown> {
  const request = {
    method: 'POST',
    origin: new URL(endpoint).origin,
    path: `/2015-03-31/functions/${encodeURIComponent(name)}/invocations`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(payload),
  } as const;
  const signature = await awsSignature({ region, service: 'lambda' }, clock).authorize(request);
  const signed = { ...request, headers: { ...request.headers, ...signature } };
  const sent = await httpSender({ timeoutMs: TIMEOUT_MS })(signed);
  const attempted = `Cannot ask the function "${name}" in region "${region}"`;
  if (sent.kind !== 'answer') {
    throw new RegistrarError(
      'config.invalid',
      `${attempted}: ${faultText(sent.cause)}; check the region and the network`,
    );
  }
  const text = sent.body.toString();
  const quoted = () => withoutSecrets(text, signed).slice(0, 500);
  if (sent.status === 404) {
    throw new RegistrarError(
      'config.invalid',
      `${attempted}: there is none; name the deployed health function`,
    );
  }
  if (sent.status !== 200) {
    const code = sent.status === 403 ? 'auth.failed' : 'config.invalid';
    throw new RegistrarError(
      code,
      `${attempted}: ${sent.status} ${quoted()}; allow the caller lambda:InvokeFunction`,
    );
  }
  if (sent.headers['x-amz-function-error'] !== undefined) {
    throw new RegistrarError('internal.error', `${attempted}: it failed: ${quoted()}; see its log`);
  }
  return JSON.parse(text);
}
