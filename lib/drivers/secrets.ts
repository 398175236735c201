import { RegistrarError } from '../errors.ts';
import { awsFault } from './aws-client.ts';

/** The stores that `${secretsmanager:ID}`, `${ssm:NAME}` and `REGISTRAR_CONFIG=ssm:NAME` name. */
export type SecretStore = 'secretsmanager' | 'ssm';

/**
 * Reads a secret with the role's own credentials. The clients are loaded when a configuration names one: most name none,
 * and a cold start pays for what it loads.
 *
 * @throws `config.invalid` naming the secret, never its value
 */
export async function readSecret(store: SecretStore, name: string): Promise<string> {
  try {
    const value = store === 'ssm' ? await readParameter(name) : await readSecretString(name);
    if (value !== undefined) return value;
  } catch (error) {
    // Not as the cause: its words may hold what the request was signed by (I10).
    const fault = awsFault(error);
    throw new RegistrarError(
      'config.invalid',
      `Cannot read the secret "${store}:${name}": ${fault.name}: ${fault.message}`,
    );
  }
  throw new RegistrarError('config.invalid', `Cannot read the secret "${store}:${name}": it holds no text`);
}

async function readParameter(name: string): Promise<string | undefined> {
  const { GetParameterCommand, SSMClient } = await import('@aws-sdk/client-ssm');
  const answer = await new SSMClient().send(new GetParameterCommand({ Name: name, WithDecryption: true }));
  return answer.Parameter?.Value;
}

async function readSecretString(id: string): Promise<string | undefined> {
  const { GetSecretValueCommand, SecretsManagerClient } = await import('@aws-sdk/client-secrets-manager');
  const answer = await new SecretsManagerClient().send(new GetSecretValueCommand({ SecretId: id }));
  return answer.SecretString;
}
