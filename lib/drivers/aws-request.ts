import type { Clock } from '../ports.ts';
import { awsSignature } from './aws-signature.ts';
import { type HttpExchange, type HttpRequest, httpSender } from './http.ts';
import { withoutSecrets } from './redaction.ts';
import type { AwsCredentials } from './s3/signed-request.ts';
import { shortened } from './tokens.ts';

export interface AwsService {
  readonly region: string;
  /** The name to sign for, such as `lambda`. */
  readonly service: string;
  /** @default as the SDK finds them */
  readonly credentials?: AwsCredentials | undefined;
  /** @default 30_000 */
  readonly timeoutMs?: number;
}

export type AwsExchange =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers: Readonly<Record<string, unknown>>;
      readonly text: string;
      /** The beginning of an answer, for messages: without secrets of the request that it quotes (I10). */
      readonly quoted: (answer?: string) => string;
    }
  | Exclude<HttpExchange, { kind: 'answer' }>;

/** Signs a request to a service of AWS for which the SDK is not bundled, and sends it once. @throws `auth.failed` without credentials */
export async function sendToAws(
  request: HttpRequest,
  { region, service, credentials, timeoutMs = 30_000 }: AwsService,
  clock: Clock,
): Promise<AwsExchange> {
  const signer = awsSignature({ region, service }, clock, credentials && (async () => credentials));
  const signed = { ...request, headers: { ...request.headers, ...(await signer.authorize(request)) } };
  const sent = await httpSender({ timeoutMs })(signed);
  if (sent.kind !== 'answer') return sent;
  const { kind, status, headers } = sent;
  const text = sent.body.toString();
  return {
    kind,
    status,
    headers,
    text,
    quoted: (answer = text) => shortened(withoutSecrets(answer, signed)),
  };
}
