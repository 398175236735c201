import { expect, test } from 'vitest';
import { withoutTokens } from '../../lib/drivers/tokens.ts';

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';

test.each([
  [`token ${JWT} is refused`, 'token *** is refused'],
  [`x-${JWT}`, 'x-***'],
  [`"${JWT}"`, '"***"'],
  ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.', '***'],
  ['see lake.orders.daily and 10.0.0.1', 'see lake.orders.daily and 10.0.0.1'],
])('withoutTokens of %s', (text, expected) => {
  expect(withoutTokens(text)).toBe(expected);
});

test('withoutTokens takes linear time for what looks like many beginnings of a token', () => {
  const text = 'eyJ-'.repeat(100);
  const hostile = `${text} `.repeat(2_500);
  expect(withoutTokens(hostile)).toBe('*** '.repeat(2_500));
  expect(withoutTokens(`${'eyJ-'.repeat(500_000)}`)).toBe('***');
});
