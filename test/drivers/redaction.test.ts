import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { gcsStore } from '../../lib/drivers/gcs.ts';
import type { SendHttp } from '../../lib/drivers/http.ts';
import { invokeFunction } from '../../lib/drivers/lambda.ts';
import { systemClock } from '../../lib/drivers/platform.ts';
import { examine } from '../../lib/jobs/doctor/doctor.ts';
import { register } from '../../lib/jobs/register/register.ts';
import { doctorPorts, wire } from '../../lib/wire.ts';
import type { HttpRequest, HttpResponse } from '../../local/http-service.ts';
import { writeParquet } from '../../local/shipper/segment.ts';
import { type Stack, startStack } from '../../local/stack.ts';
import { type Authority, type Certificate, makeAuthorities } from '../fakes/certificates.ts';
import { startMetadataServer } from '../fakes/google-metadata.ts';
import { json, type ScriptedServer, scriptedServer } from '../fakes/http.ts';
import { seededRandom } from '../fakes/random.ts';

/**
 * I10. Every secret that can be configured is planted, every service answers with all it was sent, and whatever comes out (log lines, which
 * are the metrics too, errors with their causes, quarantine objects, the table's own files) is searched for each of them.
 */
const planted = {
  token: 'planted/catalog+token==',
  clientSecret: 'planted client&secret+%=',
  oauthToken: 'planted.oauth.token',
  tableToken: 'planted.table.token',
  header: 'planted-api-key',
  secretKey: 'planted/store+secret',
  sessionToken: `IQoJplantedOwn/${'aB3+'.repeat(60)}`,
  vendedSecret: 'planted-vended-secret',
  vendedToken: `IQoJplantedVended/${'Zx9/'.repeat(60)}`,
  roleSecret: 'planted-role-secret',
  roleToken: `IQoJplantedRole/${'Qq7='.repeat(60)}`,
  googleToken: 'ya29.planted-google.token',
};

let stack: Stack;
let echoing: ScriptedServer | undefined;
let metadata: Awaited<ReturnType<typeof startMetadataServer>>;
let echo = false;
let authorities: ReturnType<typeof makeAuthorities>;
let ca: Authority;
let client: Certificate;
beforeAll(() => {
  authorities = makeAuthorities();
  ca = authorities.authority();
  client = ca.sign({ client: true });
});
afterAll(() => authorities.remove());
beforeEach(async () => {
  echo = false;
  metadata = await startMetadataServer(planted.googleToken);
  for (const [name, value] of Object.entries(metadata.environment)) vi.stubEnv(name, value);
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDROLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', planted.roleSecret);
  vi.stubEnv('AWS_SESSION_TOKEN', planted.roleToken);
  stack = await startStack({
    onS3Request: (request) => (echo ? { when: 'before', answer: s3Echo(request) } : undefined),
  });
  stack.createBucket('lake');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await echoing?.close();
  await metadata.close();
  await stack.close();
});

/** All that a request holds, as a careless server quotes it. */
function quoted({ method, path, query, headers, body }: HttpRequest): string {
  const text = body
    .toString('latin1')
    .replaceAll(/[^\x20-\x7e]/g, '')
    .slice(0, 2_000);
  return `${method} ${path}?${query} ${JSON.stringify(headers)} ${text}`;
}

function s3Echo(request: HttpRequest): HttpResponse {
  const escaped = quoted(request).replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const message = `${escaped.slice(-450)} ${request.headers['x-amz-security-token'] ?? ''}`;
  return {
    status: 400,
    headers: { 'content-type': 'application/xml' },
    body: `<?xml version="1.0"?><Error><Code>InvalidRequest</Code><Message>${message}</Message></Error>`,
  };
}

/** A catalog that lets in whom it should, until it quotes: then each answer is a refusal with the whole request in it. */
function catalogOf(status: number, quotes: (line: string) => boolean) {
  return scriptedServer((line, request) => {
    if (quotes(line)) {
      return json(status, { error: { message: quoted(request), type: 'EchoException', code: status } });
    }
    if (line.includes('/v1/oauth/tokens')) return json(200, { access_token: planted.oauthToken });
    if (line.includes('/v1/config')) return json(200, {});
    return json(404, { error: { message: 'none', type: 'NoSuchTableException', code: 404 } });
  });
}

const ways = {
  token: () => ({ catalog_token: planted.token }),
  form: () => ({ catalog_credential: { client_id: 'id', client_secret: planted.clientSecret } }),
  basic: () => ({
    catalog_credential: { client_id: 'id', client_secret: planted.clientSecret, client_auth: 'basic' },
  }),
  exchange: () => ({
    catalog_credential: { client_id: 'id', client_secret: planted.clientSecret, token_exchange: true },
  }),
  sigv4: () => ({ catalog_sigv4: { region: 'eu-west-1', service: 'glue' } }),
  google: () => ({ catalog_google: true }),
};

/** A container with everything planted; its log lines go to `said`. */
function planting(settings: Readonly<Record<string, unknown>>, said: string[]) {
  return wire(
    {
      REGISTRAR_CONFIG: JSON.stringify({
        url: 's3://lake/in',
        layout: '{url}/{dataset}/…',
        namespace: 'analytics',
        create_table: true,
        retry: { initial: '1ms', max: '1ms' },
        catalog_headers: { 'X-Api-Key': planted.header },
        store: {
          endpoint: stack.s3Endpoint,
          region: stack.region,
          allow_http: true,
          access_key_id: 'AKIDPLANTED',
          secret_access_key: planted.secretKey,
          session_token: planted.sessionToken,
        },
        ...settings,
      }),
    },
    { write: (text: string) => said.push(text) > 0 },
  );
}

/** Registers one segment with everything planted, and answers all that came out of it. */
async function everythingSaid(settings: Readonly<Record<string, unknown>>): Promise<string> {
  const said: string[] = [];
  const wiring = await planting(settings, said);
  const schema = { type: 'struct', fields: [{ id: 1, name: 'id', required: false, type: 'long' }] } as const;
  stack.objects.put('lake', 'in/orders/1.parquet', Buffer.from(writeParquet(schema, [{ id: 1n }])));
  const reference = { scheme: 's3', bucket: 'lake', key: 'in/orders/1.parquet' } as const;
  const { outcomes } = await register([reference], wiring, () => 60_000);
  for (const outcome of outcomes) said.push(inFull('error' in outcome ? outcome.error : outcome));
  echo = false;
  const all = { prefix: '', delimiter: '', after: '', max: 1_000 };
  for (const { key } of stack.objects.list('lake', all).objects) {
    if (!key.endsWith('.parquet')) said.push(stack.objects.get('lake', key)?.bytes.toString('latin1') ?? '');
  }
  return said.join('\n');
}

function inFull(value: unknown): string {
  if (!(value instanceof Error))
    return JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? String(item) : item));
  return `${value.name} ${value.message} ${value.stack} ${JSON.stringify(value, Object.getOwnPropertyNames(value))} ${value.cause === undefined ? '' : inFull(value.cause)}`;
}

function expectNothingPlanted(said: string): void {
  for (const [name, secret] of Object.entries({ ...planted, key: client.key })) {
    const spellings = [
      secret,
      encodeURIComponent(secret),
      new URLSearchParams({ '': secret }).toString().slice(1),
      Buffer.from(secret).toString('base64').replace(/=+$/, ''),
      // A cut secret is one still.
      secret.slice(0, 24),
    ];
    for (const spelling of spellings) expect(said.includes(spelling), `${name} as ${spelling}`).toBe(false);
  }
}

describe('no secret comes out (I10)', () => {
  for (const [way, settings] of Object.entries(ways)) {
    test.each([400, 401, 403, 409, 429, 500])(
      `by ${way}, when the catalog quotes what it was sent with a %i`,
      async (status) => {
        for (const part of ['/v1/config', '/tables/', '/v1/oauth/tokens', 'POST /v1/namespaces']) {
          await echoing?.close();
          echoing = await catalogOf(status, (line) => line.includes(part));
          const said = await everythingSaid({ catalog_uri: echoing.url, ...settings() });
          expect(said.length).toBeGreaterThan(100);
          expectNothingPlanted(said);
        }
      },
    );
  }

  test.each(['own keys', 'the role'])('when the store quotes what it was sent with %s', async (whose) => {
    echo = true;
    const said = await everythingSaid({
      catalog_uri: stack.catalogUri,
      ...(whose === 'the role' && {
        store: { endpoint: stack.s3Endpoint, region: stack.region, allow_http: true },
      }),
    });
    expect(said).toContain('InvalidRequest');
    expectNothingPlanted(said);
  });

  test.each([400, 401, 403, 404, 429, 500])(
    'when Cloud Storage, or a proxy before it, quotes what it was sent with a %i',
    async (status) => {
      const send: SendHttp = async (request) => ({
        kind: 'answer',
        status,
        headers: { 'content-type': 'application/json' },
        body: Buffer.from(
          JSON.stringify({
            error: { code: status, message: JSON.stringify(request), errors: [{ reason: 'forbidden' }] },
          }),
        ),
      });
      const store = gcsStore(
        {},
        {
          send,
          timers: { sleep: async () => {} },
          random: seededRandom(1),
          accessToken: async () => planted.googleToken,
        },
      );
      const ends = await Promise.all([
        store.read('gs://lake/a').catch((error: unknown) => error),
        store.write('gs://lake/b', new Uint8Array([1])).catch((error: unknown) => error),
      ]);
      const said = ends.map(inFull).join();
      expect(said).toContain('Bearer ***');
      expectNothingPlanted(said);
    },
  );

  test.each([200, 403, 500])(
    'when Lambda quotes with a %i what doctor --deployed sent it',
    async (status) => {
      vi.stubEnv('AWS_SESSION_TOKEN', 'planted-session');
      echoing = await scriptedServer((_, request) => ({
        status,
        headers: { 'x-amz-function-error': 'Unhandled' },
        body: quoted(request),
      }));
      const settings = { region: 'eu-west-1', endpoint: echoing.url };
      const error = await invokeFunction('health', {}, settings, systemClock).catch((thrown) => thrown);
      const said = inFull(error);
      expect(said).toContain('Cannot ask the function');
      expect(said).not.toContain('planted-session');
      expectNothingPlanted(said);
    },
  );

  test.each([400, 403, 500])(
    'when doctor is told by catalog, store, SQS and Pub/Sub what it sent, with a %i',
    async (status) => {
      echoing = await scriptedServer((_, request) =>
        json(status, {
          __type: 'EchoException',
          message: quoted(request),
          error: { message: quoted(request), type: 'EchoException', status: 'ECHO', code: status },
        }),
      );
      echo = true;
      vi.stubEnv('PUBSUB_EMULATOR_HOST', new URL(echoing.url).host);
      const said: string[] = [];
      const queues = {
        arrivals: `${echoing.url}/000000000000/arrivals`,
        registrations: 'projects/p/topics/t',
      };
      const wiring = await planting({ catalog_uri: echoing.url, catalog_token: planted.token, queues }, said);
      const findings = await examine(doctorPorts(wiring), { table: 'orders' });
      expect(findings.filter(({ state }) => state === 'failed').map(({ check }) => check)).toEqual(
        expect.arrayContaining(['catalog', 'segments', 'quarantine', 'arrivals', 'registrations']),
      );
      expect(findings.find(({ check }) => check === 'arrivals')?.found).toContain('EchoException: POST /');
      expectNothingPlanted(`${JSON.stringify(findings)} ${said.join()}`);
    },
  );

  test.each(['secretsmanager', 'ssm'] as const)('when %s quotes what it was sent', async (service) => {
    echoing = await scriptedServer((_, request) =>
      json(400, { __type: 'ValidationException', message: quoted(request) }),
    );
    vi.stubEnv('AWS_REGION', 'eu-west-1');
    vi.stubEnv('AWS_ENDPOINT_URL_SECRETS_MANAGER', echoing.url);
    vi.stubEnv('AWS_ENDPOINT_URL_SSM', echoing.url);
    const said: string[] = [];
    const wired = planting({ catalog_uri: echoing.url, catalog_token: `\${${service}:lake/token}` }, said);
    const error = await wired.catch((thrown: unknown) => thrown);
    expect(inFull(error)).toContain(`lake/token}" cannot be resolved: Cannot read the secret "${service}:`);
    expectNothingPlanted(`${inFull(error)} ${said.join()}`);
  });

  test('when nothing goes wrong, and the catalog hands out credentials and a token', async () => {
    const config = {
      token: planted.tableToken,
      's3.access-key-id': 'AKIDVENDED',
      's3.secret-access-key': planted.vendedSecret,
      's3.session-token': planted.vendedToken,
    };
    await stack.close();
    stack = await startStack({ catalog: { tableConfig: config } });
    stack.createBucket('lake');
    const said = await everythingSaid({
      catalog_uri: stack.catalogUri,
      catalog_token: planted.token,
      access_delegation: 'vended-credentials',
    });
    expect(said).toContain('"committed"');
    expectNothingPlanted(said);
  });

  test('when the configuration is wrong', async () => {
    const wrong = everythingSaid({
      catalog_uri: 'not a uri',
      catalog_token: planted.token,
      catalog_credential: { client_id: 'id', client_secret: planted.clientSecret },
      catalog_client_key: client.key,
      nonsense: planted.header,
      store: { secret_access_key: planted.secretKey, session_token: planted.sessionToken },
    });
    const error = await wrong.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expectNothingPlanted(inFull(error));
  });
});
