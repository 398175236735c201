import { RegistrarError } from '../errors.ts';
import { awsFault, wayOut } from './aws-client.ts';
import { awsClientConfig } from './aws-client-config.ts';

/** The stores behind `${secretsmanager:ID}`, `${ssm:NAME}` and `REGISTRAR_CONFIG=ssm:NAME`. */
export type SecretStore = 'secretsmanager' | 'ssm';

/** Three attempts of this length end well before a function's own timeout, which would end without a message. */
const ANSWER_TIMEOUT_MS = 5_000;

/**
 * Reads a secret with the role's own credentials. `ID#KEY` is one value of a secret that is a JSON object; neither store allows `#` in a
 * name. The clients are loaded when a configuration names one: most name none, and a cold start pays for what it loads.
 *
 * @throws `config.invalid` naming the secret, never its value
 */
export async function readSecret(
  store: SecretStore,
  reference: string,
  { answerTimeoutMs = ANSWER_TIMEOUT_MS }: { readonly answerTimeoutMs?: number } = {},
): Promise<string> {
  const problem = (words: string) =>
    new RegistrarError('config.invalid', `Cannot read the secret "${store}:${reference}": ${words}`);
  const [name = '', key] = reference.split('#', 2);
  let value: string | undefined;
  try {
    const settings = clientSettings(name, answerTimeoutMs);
    value = await (store === 'ssm' ? readParameter(name, settings) : readSecretString(name, settings));
  } catch (error) {
    // The error is not attached as cause, since its message may contain credentials of the request (I10).
    const fault = awsFault(error);
    const network =
      fault.name === 'TimeoutError'
        ? `; a function in a VPC needs an interface endpoint for ${store}, or a NAT gateway`
        : wayOut(fault);
    throw problem(`${fault.name}: ${fault.message}${network}`);
  }
  if (value === undefined) throw problem('it holds no text');
  if (key === undefined) return value;
  const member = memberOf(value, key);
  if (member === undefined) throw problem(`its value is not a JSON object with the text "${key}"`);
  return member;
}

type ClientSettings = ReturnType<typeof clientSettings>;

/** The region of a name that is an ARN, else the function's own. */
function clientSettings(name: string, answerTimeoutMs: number) {
  const region = /^arn:[^:]*:[^:]*:([^:]+):/.exec(name)?.[1];
  const config = awsClientConfig(region === undefined ? {} : { region });
  const requestHandler = { ...config.requestHandler, requestTimeout: answerTimeoutMs };
  return { ...config, maxAttempts: 3, requestHandler };
}

async function readParameter(name: string, settings: ClientSettings): Promise<string | undefined> {
  const { GetParameterCommand, SSMClient } = await import('@aws-sdk/client-ssm');
  const command = new GetParameterCommand({ Name: name, WithDecryption: true });
  return (await new SSMClient(settings).send(command)).Parameter?.Value;
}

async function readSecretString(id: string, settings: ClientSettings): Promise<string | undefined> {
  const { GetSecretValueCommand, SecretsManagerClient } = await import('@aws-sdk/client-secrets-manager');
  const command = new GetSecretValueCommand({ SecretId: id });
  return (await new SecretsManagerClient(settings).send(command)).SecretString;
}

/** A text or number in a JSON object. */
function memberOf(json: string, key: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(json);
    if (typeof parsed !== 'object' || parsed === null || !Object.hasOwn(parsed, key)) return undefined;
    const value: unknown = (parsed as Record<string, unknown>)[key];
    return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
  } catch {
    return undefined;
  }
}
