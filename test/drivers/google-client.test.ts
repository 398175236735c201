import { expect, test } from 'vitest';
import { googleClient } from '../../lib/drivers/google-client.ts';
import type { HttpExchange, HttpRequest } from '../../lib/drivers/http.ts';
import { seededRandom } from '../fakes/random.ts';

const answer = (status: number, body = ''): HttpExchange => ({
  kind: 'answer',
  status,
  headers: {},
  body: Buffer.from(body),
});

function client(answers: readonly HttpExchange[]) {
  const sent: HttpRequest[] = [];
  const renewals: boolean[] = [];
  const waits: number[] = [];
  const made = googleClient(
    {
      origin: 'https://storage.googleapis.com',
      unavailable: 'store.unavailable',
      accessToken: async ({ renew = false } = {}) => {
        renewals.push(renew);
        return `token-${renewals.filter(Boolean).length}`;
      },
    },
    {
      send: async (request) => {
        sent.push(request);
        return answers[Math.min(sent.length, answers.length) - 1] ?? answer(500);
      },
      timers: { sleep: async (ms) => void waits.push(ms) },
      random: seededRandom(1),
    },
  );
  return { made, sent, waits };
}

test('call sends the token, and renews one that is refused once, at once', async () => {
  const { made, sent, waits } = client([answer(401), answer(200)]);
  expect(await made.call('read', { method: 'GET', path: '/x' })).toMatchObject({ status: 200, attempts: 2 });
  expect(sent.map(({ headers }) => headers['authorization'])).toEqual(['Bearer token-0', 'Bearer token-1']);
  expect(waits).toEqual([]);
});

test('call answers a second 401 as it is, which is auth.failed', async () => {
  const { made, sent } = client([answer(401, '{"error":{"code":401,"message":"Invalid Credentials"}}')]);
  const refused = await made.call('read', { method: 'GET', path: '/x' });
  expect(sent).toHaveLength(2);
  expect(made.refused('read "x"', refused)).toMatchObject({
    code: 'auth.failed',
    message: 'Cannot read "x": 401 Invalid Credentials',
  });
});

test('call that gets no answer is unavailable, in the words of the connection', async () => {
  const { made, sent } = client([{ kind: 'lost', cause: new Error('other side closed') }]);
  await expect(made.call('read "x"', { method: 'GET', path: '/x' })).rejects.toMatchObject({
    code: 'store.unavailable',
    message: 'Cannot read "x": other side closed',
  });
  expect(sent).toHaveLength(4);
});
