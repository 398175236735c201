import { expect, test } from 'vitest';
import { errorText, outcomeOf, retryAfterMs } from '../../../lib/drivers/rest-catalog/outcome.ts';

function answer(status: number, body: unknown = {}, headers: Readonly<Record<string, string>> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { kind: 'answer', status, headers, body: Buffer.from(text) } as const;
}

const icebergError = (type: string) => ({ error: { message: 'told', type, code: 0 } });

test.each([
  [200, 'ok'],
  [204, 'ok'],
  [301, 'misdirected'],
  [307, 'misdirected'],
  [400, 'invalid'],
  [401, 'unauthenticated'],
  [403, 'forbidden'],
  [404, 'missing'],
  [405, 'invalid'],
  [406, 'invalid'],
  [408, 'unknown'],
  [409, 'conflict'],
  [413, 'invalid'],
  [419, 'unauthenticated'],
  [422, 'invalid'],
  [429, 'throttled'],
  [500, 'unknown'],
  [501, 'unknown'],
  [502, 'unknown'],
  [503, 'unknown'],
  [504, 'unknown'],
  [520, 'unknown'],
])('outcomeOf %i is %s, with an Iceberg error (I7)', (status, outcome) => {
  expect(outcomeOf(answer(status, icebergError('SomeException')))).toBe(outcome);
});

test.each([
  [400, 'invalid'],
  [401, 'unauthenticated'],
  [403, 'forbidden'],
  [404, 'misdirected'],
  [409, 'conflict'],
  [429, 'throttled'],
  [502, 'unknown'],
])('outcomeOf %i is %s, with HTML or nothing (D8)', (status, outcome) => {
  expect(outcomeOf(answer(status, '<html><h1>Not an Iceberg catalog</h1></html>'))).toBe(outcome);
  expect(outcomeOf(answer(status, ''))).toBe(outcome);
});

test('outcomeOf a 400 or 403 that AWS means as throttling is throttled (D7, F14)', () => {
  const rateExceeded = { message: 'Rate exceeded' };
  for (const type of [
    'ThrottlingException',
    'ThrottlingException:http://internal',
    'aws#ThrottlingException',
  ]) {
    expect(outcomeOf(answer(400, rateExceeded, { 'x-amzn-errortype': type }))).toBe('throttled');
  }
  expect(outcomeOf(answer(403, icebergError('ThrottlingException')))).toBe('throttled');
  expect(outcomeOf(answer(400, rateExceeded, { 'x-amzn-errortype': 'ValidationException' }))).toBe('invalid');
});

test('outcomeOf a 400 that is a failed commit by its type is a conflict (D7)', () => {
  expect(outcomeOf(answer(400, icebergError('CommitFailedException')))).toBe('conflict');
});

const textOf = (given: Parameters<typeof errorText>[0]) => errorText(given, (text) => text);

test('errorText is the server’s own words in a line', () => {
  expect(textOf(answer(409, icebergError('CommitFailedException')))).toBe('409 CommitFailedException: told');
  expect(textOf(answer(401, { error: 'invalid_client', error_description: 'wrong secret' }))).toBe(
    '401 invalid_client: wrong secret',
  );
  expect(textOf(answer(400, { message: 'Rate exceeded' }))).toBe('400 Rate exceeded');
  expect(textOf(answer(502, '<html>\n<body><h1>502 Bad Gateway</h1></body></html>\n'))).toBe(
    '502 502 Bad Gateway',
  );
  expect(textOf(answer(503, ''))).toBe('503');
  expect(textOf(answer(500, 'x'.repeat(100_000))).length).toBeLessThan(600);
});

test('errorText takes time in proportion to the answer, whatever a server makes of it', () => {
  for (const part of ['<', '<a', ' ', '\n<']) {
    expect(textOf(answer(500, part.repeat(1_000_000))).length).toBeLessThan(600);
  }
});

test('retryAfterMs reads seconds and dates, and nothing else', () => {
  const now = Date.UTC(2026, 0, 1);
  expect(retryAfterMs(answer(429, '', { 'retry-after': '7' }), now)).toBe(7_000);
  expect(retryAfterMs(answer(429, '', { 'retry-after': new Date(now + 3_000).toUTCString() }), now)).toBe(
    3_000,
  );
  expect(retryAfterMs(answer(429, '', { 'retry-after': new Date(now - 3_000).toUTCString() }), now)).toBe(0);
  // Some rate limiters write fractions, which Date.parse would take for a day of 2001.
  expect(retryAfterMs(answer(429, '', { 'retry-after': '1.5' }), now)).toBe(1_500);
  for (const value of ['soon', '-1', '']) {
    expect(retryAfterMs(answer(429, '', { 'retry-after': value }), now)).toBeUndefined();
  }
  expect(retryAfterMs(answer(429), now)).toBeUndefined();
});

test('errorText takes secrets out before it cuts: half a secret is one still (I10)', () => {
  const secret = 's3cr3t'.repeat(4);
  const long = answer(500, `${'x'.repeat(490)}${secret}`);
  expect(errorText(long, (text) => text.replaceAll(secret, '***'))).not.toContain('s3cr');
});
