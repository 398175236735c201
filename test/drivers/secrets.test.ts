import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { readSecret } from '../../lib/drivers/secrets.ts';
import { json, type Scripted, scriptedServer } from '../fakes/http.ts';

beforeEach(() => {
  vi.stubEnv('AWS_REGION', 'eu-west-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIAEXAMPLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'some-secret-key');
});
afterEach(() => vi.unstubAllEnvs());

/** Both services of AWS, answering `answer`. Requests come as their JSON. */
async function scriptedAws(answer: (action: string, body: Record<string, unknown>) => Scripted) {
  const server = await scriptedServer((_, { headers, body }) =>
    answer(headers['x-amz-target'] ?? '', JSON.parse(body.toString()) as Record<string, unknown>),
  );
  onTestFinished(server.close);
  vi.stubEnv('AWS_ENDPOINT_URL_SECRETS_MANAGER', server.url);
  vi.stubEnv('AWS_ENDPOINT_URL_SSM', server.url);
  return server;
}

const secretString = (text: string) => scriptedAws(() => json(200, { SecretString: text }));

describe('readSecret', () => {
  test('reads a secret of either store by its name', async () => {
    const asked: unknown[] = [];
    await scriptedAws((action, body) => {
      asked.push([action, body]);
      return json(200, { SecretString: 'some-secret', Parameter: { Value: 'some-secret-parameter' } });
    });
    expect(await readSecret('secretsmanager', 'lake/catalog')).toBe('some-secret');
    expect(await readSecret('ssm', '/lake/catalog')).toBe('some-secret-parameter');
    expect(asked).toEqual([
      ['secretsmanager.GetSecretValue', { SecretId: 'lake/catalog' }],
      ['AmazonSSM.GetParameter', { Name: '/lake/catalog', WithDecryption: true }],
    ]);
  });

  test('asks the region that an ARN names', async () => {
    const server = await secretString('some-secret');
    await readSecret('secretsmanager', 'arn:aws:secretsmanager:us-west-2:123456789012:secret:lake-AbCdEf');
    expect(server.requests[0]?.headers['authorization']).toContain('/us-west-2/secretsmanager/');
  });

  test('picks one value out of a secret that is JSON, as the console of AWS stores it', async () => {
    const server = await secretString('{"client_id":"registrar","client_secret":"some-secret","port":8181}');
    expect(await readSecret('secretsmanager', 'lake/polaris#client_secret')).toBe('some-secret');
    expect(await readSecret('secretsmanager', 'lake/polaris#port')).toBe('8181');
    expect(server.requests.map(({ body }) => JSON.parse(body.toString()))).toEqual([
      { SecretId: 'lake/polaris' },
      { SecretId: 'lake/polaris' },
    ]);
  });

  test.each([
    ['is not JSON', 'some-secret'],
    ['is a list', '["some-secret"]'],
    ['has no such key', '{"token":"some-secret"}'],
    ['has a key of its prototype alone', '{"__proto__":{"client_secret":"some-secret"}}'],
    ['has a map there', '{"client_secret":{"value":"some-secret"}}'],
  ])('says so where a secret %s, and quotes none of it (I10)', async (_, text) => {
    await secretString(text);
    const error = await readSecret('secretsmanager', 'lake/polaris#client_secret').catch(String);
    expect(error).toContain(
      'Cannot read the secret "secretsmanager:lake/polaris#client_secret": its value is not a JSON object with the text "client_secret"',
    );
    expect(error).not.toContain('some-secret');
  });

  test('a refusal names the secret', async () => {
    await scriptedAws(() => json(400, { __type: 'AccessDeniedException', message: 'told' }));
    await expect(readSecret('ssm', '/lake/catalog')).rejects.toMatchObject({
      code: 'config.invalid',
      message: 'Cannot read the secret "ssm:/lake/catalog": AccessDeniedException: told',
    });
  });

  test('a service that never answers is config.invalid within a function’s time, not a silent timeout', async () => {
    await scriptedAws(() => new Promise<never>(() => undefined));
    await expect(readSecret('ssm', '/lake/catalog', { answerTimeoutMs: 20 })).rejects.toMatchObject({
      code: 'config.invalid',
      message: expect.stringMatching(
        /^Cannot read the secret "ssm:\/lake\/catalog": TimeoutError: .*; a function in a VPC needs an interface endpoint for ssm, or a NAT gateway$/,
      ),
    });
  });

  test('without a region says what to set', async () => {
    vi.stubEnv('AWS_REGION', undefined);
    vi.stubEnv('AWS_CONFIG_FILE', '/nonexistent');
    await expect(readSecret('ssm', '/lake/catalog')).rejects.toMatchObject({
      message: expect.stringContaining('no region is known; set AWS_REGION'),
    });
  });
});
