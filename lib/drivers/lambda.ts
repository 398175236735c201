import { RegistrarError } from '../errors.ts';
import type { Clock } from '../ports.ts';
import { awsEndpoint } from './aws-endpoint.ts';
import { sendToAws } from './aws-request.ts';
import { faultText } from './http.ts';

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
  { region, endpoint = awsEndpoint('lambda', region) }: LambdaSettings,
  clock: Clock,
): Promise<unknown> {
  const request = {
    method: 'POST',
    origin: new URL(endpoint).origin,
    path: `/2015-03-31/functions/${encodeURIComponent(name)}/invocations`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(payload),
  } as const;
  const sent = await sendToAws(request, { region, service: 'lambda', timeoutMs: TIMEOUT_MS }, clock);
  const attempted = `Cannot ask the function "${name}" in region "${region}"`;
  if (sent.kind !== 'answer') {
    throw new RegistrarError(
      'config.invalid',
      `${attempted}: ${faultText(sent.cause)}; check the region and the network`,
    );
  }
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
      `${attempted}: ${sent.status} ${sent.quoted()}; allow the caller lambda:InvokeFunction`,
    );
  }
  if (sent.headers['x-amz-function-error'] !== undefined) {
    throw new RegistrarError('internal.error', `${attempted}: it failed: ${sent.quoted()}; see its log`);
  }
  return JSON.parse(sent.text);
}
