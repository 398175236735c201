import { globSync, readFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { quarantineIn } from '../../lib/drivers/quarantine.ts';
import { s3Store } from '../../lib/drivers/s3.ts';
import { sqsQueue } from '../../lib/drivers/sqs.ts';
import { RegistrarError } from '../../lib/errors.ts';
import { startStack } from '../../local/stack.ts';
import { memoryLog } from './log.ts';
import { secretIn } from './planted-secrets.ts';
import { seededRandom } from './random.ts';
import { expectNoLeak } from './secret-watch.ts';

/** What stands where a secret does and is none: a password of LocalStack's, a type, a text that is no YAML. */
const exempt: ReadonlySet<string> = new Set(['test', 'fixed[8]', '{ not: yaml']);
/** A letter or two stand for any secret. */
const SHORTEST = 4;

const SETTING =
  /\b(?:catalog_token|client_?secret|secret_?access_?key|session_?token|access_?token|secret-access-key|session-token|AWS_SECRET_ACCESS_KEY|AWS_SESSION_TOKEN)\b['"]?(?::|: async \(\) =>)\s*(['`])((?:(?!\1).)+)\1/gi;

test('every secret that a test configures has the form that is searched for', () => {
  const root = new URL('../../', import.meta.url);
  const given = globSync(['test/**/*.ts', 'local/**/*.ts'], { cwd: root }).flatMap((file) =>
    [...readFileSync(new URL(file, root), 'utf8').matchAll(SETTING)].map(([, , text = '']) => ({
      file,
      text,
    })),
  );
  expect(given.length).toBeGreaterThan(40);
  const searched = given
    .filter(
      ({ text }) =>
        text.length >= SHORTEST && !exempt.has(text) && !/\$\{(?:env|file|ssm|secretsmanager):/.test(text),
    )
    .map(({ file, text }) => ({ file, text: text.replaceAll(/\$\{[^}]*\}/g, 'token-1') }));
  const formless = searched.filter(({ text }) => secretIn(text) === undefined);
  expect(formless, 'give it the form of `right-token` or `local-secret`').toStrictEqual([]);
});

describe('secretIn finds a secret', () => {
  const credential = 'registrar:form-secret&more+';
  test.each([
    ['as it is', 'the server answered 400 right-token'],
    ['in a URL', `/v1/config?secret=${encodeURIComponent('planted/catalog+token')}`],
    ['in Base64', `Authorization=${Buffer.from(credential).toString('base64')}`],
    ['in Base64 for URLs', Buffer.from(credential).toString('base64url')],
    ['that is a token of nobody here', '{"authorization":"Bearer x7Jq"}'],
    ['that is a private key', '-----BEGIN RSA PRIVATE KEY-----'],
  ])('%s', (_, text) => {
    expect(secretIn(text)).toBeDefined();
  });

  test('and none where there is none', () => {
    expect(
      secretIn('set store.session_token; s3.session-token, x-amz-security-token: Bearer ***'),
    ).toBeUndefined();
  });
});

describe('what comes out with a secret in it fails the test it comes out in (I10)', () => {
  const thrown = (cause: Error) => new RegistrarError('auth.failed', 'refused', { cause });

  test.each<[string, () => unknown]>([
    ['the message of an error', () => new RegistrarError('auth.failed', 'it answered leaked-token')],
    ['its context', () => new RegistrarError('auth.failed', 'x', { context: { fault: 'leaked-token' } })],
    ['its cause', () => thrown(new Error('leaked-token'))],
    ['what its cause carries', () => thrown(Object.assign(new Error(), { config: { key: 'leaked-token' } }))],
    ['a log line', () => memoryLog().warn({ event: 'x', error: new Error('leaked-token') })],
    ['what is printed', () => process.stderr.write('leaked-token, for this test to find\n')],
    ['an object in quarantine', quarantineRecord],
    ['a message', sentMessage],
  ])('%s', async (_, leak) => {
    await leak();
    expect(expectNoLeak).toThrow(/^A secret came out \(I10\):\n"leaked-token" in /);
    expect(expectNoLeak).not.toThrow();
  });

  async function embedded() {
    const stack = await startStack();
    onTestFinished(stack.close);
    const { accessKeyId: access_key_id, secretAccessKey: secret_access_key } = stack.credentials;
    return { stack, settings: { access_key_id, secret_access_key } };
  }

  async function quarantineRecord() {
    const { stack, settings } = await embedded();
    stack.createBucket('lake');
    const store = s3Store({ ...settings, endpoint: stack.s3Endpoint });
    const quarantine = quarantineIn(store, 's3://lake/quarantine', seededRandom(1));
    await quarantine.put({ v: 1, kind: 'failure', table: 'orders', at: 0, message: 'leaked-token' } as never);
  }

  async function sentMessage() {
    const { stack, settings } = await embedded();
    await sqsQueue(settings).send(stack.createQueue('arrivals').url, [{ body: 'leaked-token' }]);
  }
});
