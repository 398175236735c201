import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import type { CatalogCredential } from '../../../lib/config/entry.ts';
import type { HttpExchange, HttpRequest } from '../../../lib/drivers/http.ts';
import { clientCredentials } from '../../../lib/drivers/rest-catalog/oauth2.ts';
import type { RegistrarError } from '../../../lib/errors.ts';
import { seededRandom } from '../../fakes/random.ts';

const MINUTE = 60_000;
const tokenEndpoint = 'https://login.example/realms/lake/token/';

function answer(status: number, body: unknown, headers: Record<string, string> = {}): HttpExchange {
  return {
    kind: 'answer',
    status,
    headers,
    body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  };
}

/** A token endpoint that answers `token-1`, `token-2`, …, or what `script` says, and a clock that is moved by hand. */
function tokenServer(
  credential: Partial<CatalogCredential> = {},
  script: (request: HttpRequest, count: number) => HttpExchange | Promise<HttpExchange> | undefined = () =>
    undefined,
) {
  const requests: HttpRequest[] = [];
  const sleeps: number[] = [];
  const time = { nowMs: Date.UTC(2026, 0, 1) };
  const late = Promise.withResolvers<void>();
  const authorization = clientCredentials(
    {
      credential: { client_id: 'the client', client_secret: 'the+form-secret&more', ...credential },
      tokenEndpoint,
      retry: { initial_ms: 100, max_ms: 5_000, jitter: 0 },
    },
    {
      clock: { now: () => time.nowMs },
      timers: {
        // What has a signal waits for it: time passes only where the test says so.
        sleep: async (ms, signal) => {
          if (signal === undefined) sleeps.push(ms);
          else await Promise.race([once(signal, 'abort'), late.promise]);
        },
      },
      random: seededRandom(),
      send: async (request) => {
        requests.push(request);
        const count = requests.length;
        return (
          (await script(request, count)) ??
          answer(200, { access_token: `token-${count}`, token_type: 'bearer', expires_in: 3600 })
        );
      },
    },
  );
  const request: HttpRequest = { method: 'GET', origin: 'https://lake.example', path: '/', headers: {} };
  /** The bearer of the next request. */
  const bearer = async () => (await authorization.authorize(request))['authorization'];
  const renew = (token: string) =>
    authorization.renew({ ...request, headers: { authorization: `Bearer ${token}` } });
  const forms = () => requests.map(({ body }) => Object.fromEntries(new URLSearchParams(String(body))));
  return { bearer, renew, requests, forms, sleeps, time, passPatience: late.resolve };
}

describe('clientCredentials asks for a token', () => {
  test('at the endpoint as it is written, in a form, once for many requests at a time', async () => {
    const { bearer, requests, forms } = tokenServer();
    expect(await Promise.all([bearer(), bearer(), bearer()])).toStrictEqual([
      'Bearer token-1',
      'Bearer token-1',
      'Bearer token-1',
    ]);
    expect(requests).toMatchObject([
      {
        method: 'POST',
        origin: 'https://login.example',
        path: '/realms/lake/token/',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      },
    ]);
    expect(forms()).toStrictEqual([
      {
        grant_type: 'client_credentials',
        client_id: 'the client',
        client_secret: 'the+form-secret&more',
        scope: 'catalog',
      },
    ]);
  });

  test('without a scope where the setting is empty: many identity providers know no scope "catalog"', async () => {
    const { bearer, forms } = tokenServer({ scope: '', client_auth: 'basic' });
    await bearer();
    expect(forms()).toStrictEqual([{ grant_type: 'client_credentials' }]);
  });

  test('with scope, audience and resource as configured', async () => {
    const wanted = { scope: 'PRINCIPAL_ROLE:ALL', audience: 'https://lake', resource: 'urn:lake' };
    const { bearer, forms } = tokenServer(wanted);
    await bearer();
    expect(forms()).toMatchObject([wanted]);
  });

  test('by HTTP Basic, ID and secret form-encoded (RFC 6749 section 2.3.1)', async () => {
    const { bearer, requests, forms } = tokenServer({ client_auth: 'basic' });
    await bearer();
    const basic = Buffer.from('the+client:the%2Bform-secret%26more').toString('base64');
    expect(requests[0]?.headers['authorization']).toBe(`Basic ${basic}`);
    expect(forms()).toStrictEqual([{ grant_type: 'client_credentials', scope: 'catalog' }]);
  });

  test('without a client ID where the secret alone names the client (F6)', async () => {
    const { bearer, forms } = tokenServer({ client_id: '' });
    await bearer();
    expect(forms()[0]).not.toHaveProperty('client_id');
  });
});

describe('clientCredentials renews a token', () => {
  test('when five minutes of an hour are left, not before (F1)', async () => {
    const { bearer, time } = tokenServer();
    await bearer();
    time.nowMs += 54 * MINUTE;
    expect(await bearer()).toBe('Bearer token-1');
    time.nowMs += MINUTE;
    expect(await bearer()).toBe('Bearer token-2');
  });

  test.each([
    ['expires_in as text', 'opaque-token', '600'],
    ['exp of a JWT', jwt(Date.UTC(2026, 0, 1) / 1000 + 600), undefined],
  ])('when a tenth of its life is left: %s (F1)', async (_, token, expires_in) => {
    const { bearer, requests, time } = tokenServer({}, () =>
      answer(200, { access_token: token, expires_in }),
    );
    await bearer();
    time.nowMs += 9 * MINUTE - 1;
    await bearer();
    expect(requests).toHaveLength(1);
    time.nowMs += 1;
    await bearer();
    expect(requests).toHaveLength(2);
  });

  test('only when it is refused where nothing says how long it lasts (F1)', async () => {
    const { bearer, renew, time } = tokenServer({}, (_, count) =>
      answer(200, { access_token: `opaque-token-${count}` }),
    );
    await bearer();
    time.nowMs += 1000 * MINUTE;
    expect(await bearer()).toBe('Bearer opaque-token-1');
    expect(await renew('opaque-token-1')).toBe(true);
    expect(await bearer()).toBe('Bearer opaque-token-2');
  });

  test('once for many refusals at a time, and not again for one that comes late', async () => {
    const { bearer, renew, requests } = tokenServer();
    await bearer();
    await Promise.all([renew('token-1'), renew('token-1')]);
    await renew('token-1');
    expect(requests).toHaveLength(2);
    expect(await bearer()).toBe('Bearer token-2');
  });

  test('and a renewal that fails stops nobody while the token lasts, nor those after it', async () => {
    let failing = false;
    const { bearer, requests, time } = tokenServer({}, () => (failing ? answer(503, '') : undefined));
    await bearer();
    failing = true;
    time.nowMs += 56 * MINUTE;
    expect(await bearer()).toBe('Bearer token-1');
    expect(await bearer()).toBe('Bearer token-1');
    expect(requests).toHaveLength(1 + 4);
    time.nowMs += 4 * MINUTE;
    await expect(bearer()).rejects.toMatchObject({ code: 'catalog.unavailable' });
    failing = false;
    expect(await bearer()).toBe('Bearer token-10');
  });

  test('and one that takes long goes on while the token is used', async () => {
    const slow = Promise.withResolvers<HttpExchange>();
    const { bearer, requests, time, passPatience } = tokenServer({}, (_, count) =>
      count === 2 ? slow.promise : undefined,
    );
    await bearer();
    time.nowMs += 56 * MINUTE;
    const waiting = bearer();
    passPatience();
    expect(await waiting).toBe('Bearer token-1');
    expect(await bearer()).toBe('Bearer token-1');
    expect(requests).toHaveLength(2);
    slow.resolve(answer(200, { access_token: 'token-7', expires_in: 3600 }));
    await expect.poll(bearer).toBe('Bearer token-7');
  });

  test('by exchanging the valid one only where that is asked for (F5)', async () => {
    const asked = tokenServer({ token_exchange: true });
    const unasked = tokenServer();
    for (const { bearer, time } of [asked, unasked]) {
      await bearer();
      time.nowMs += 56 * MINUTE;
      expect(await bearer()).toBe('Bearer token-2');
    }
    expect(asked.forms()[1]).toStrictEqual({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: 'token-1',
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      scope: 'catalog',
    });
    expect(asked.requests[1]?.headers['authorization']).toBe('Bearer token-1');
    expect(unasked.forms()[1]).toMatchObject({ grant_type: 'client_credentials' });
  });

  test('with the credential again when the exchange is refused, when the token has ended or was refused', async () => {
    const { bearer, renew, forms, time } = tokenServer({ token_exchange: true }, ({ body }) =>
      String(body).includes('token-exchange') ? answer(400, { error: 'unsupported_grant_type' }) : undefined,
    );
    await bearer();
    time.nowMs += 56 * MINUTE;
    expect(await bearer()).toBe('Bearer token-3');
    time.nowMs += 61 * MINUTE;
    await bearer();
    await renew('token-4');
    expect(forms().map(({ grant_type }) => grant_type?.replace(/.*:/, ''))).toStrictEqual([
      'client_credentials',
      'token-exchange',
      'client_credentials',
      'client_credentials',
      'client_credentials',
    ]);
  });
});

describe('clientCredentials that gets no token', () => {
  test.each([
    [400, { error: 'invalid_scope' }],
    [401, { error: 'invalid_client', error_description: 'unknown' }],
    [403, { error: 'unauthorized_client' }],
  ])("is auth.failed after %i in OAuth's words, at once", async (status, body) => {
    const { bearer, requests } = tokenServer({}, () => answer(status, body));
    await expect(bearer()).rejects.toMatchObject({
      code: 'auth.failed',
      message: expect.stringContaining(body.error),
      context: { status },
    });
    expect(requests).toHaveLength(1);
  });

  test.each([
    [200, ''],
    [200, '<html>Welcome</html>'],
    [200, { token: 'elsewhere-token' }],
    [401, ''],
    [403, '<html>blocked</html>'],
    [404, '<html>Not Found</html>'],
    [405, ''],
    [302, ''],
  ])(
    'is catalog.unavailable after %i with %j, which says nothing of the credential (F8, F12)',
    async (status, body) => {
      const { bearer } = tokenServer({}, () => answer(status, body));
      await expect(bearer()).rejects.toMatchObject({
        code: 'catalog.unavailable',
        message: expect.stringContaining(`"${tokenEndpoint}"`),
      });
    },
  );

  test('asks four times while the server is unavailable, waiting as it asks', async () => {
    const answers = [answer(429, '', { 'retry-after': '2' }), answer(502, '<html>'), answer(500, '')];
    const { bearer, sleeps } = tokenServer({}, (_, count) => answers[count - 1]);
    expect(await bearer()).toBe('Bearer token-4');
    expect(sleeps).toStrictEqual([2_000, 200, 400]);
  });

  test('repeats no secret that the server quotes, in whatever spelling (F10, I10)', async () => {
    for (const client_auth of ['form', 'basic'] as const) {
      const { bearer } = tokenServer({ client_auth }, ({ body, headers }) =>
        answer(400, {
          error: 'invalid_request',
          error_description: `the+form-secret&more ${body} ${JSON.stringify(headers)}`,
        }),
      );
      const error = await bearer().catch((thrown: RegistrarError) => thrown);
      const text = JSON.stringify(error, Object.getOwnPropertyNames(error));
      expect(text).toContain('invalid_request');
      expect(text).not.toMatch(/secret(%26|&)more|dGhlK2Ns/);
    }
  });
});

function jwt(exp: number): string {
  return ['{}', JSON.stringify({ exp }), 's']
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.');
}
