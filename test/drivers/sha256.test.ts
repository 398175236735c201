import { createHash, createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { Sha256 } from '../../lib/drivers/sha256.ts';

const bytes = (text: string) => Buffer.from(text, 'utf8');

async function digest(secret: ConstructorParameters<typeof Sha256>[0], ...parts: readonly string[]) {
  const sha256 = new Sha256(secret);
  for (const part of parts) sha256.update(bytes(part));
  return Buffer.from(await sha256.digest()).toString('hex');
}

test('Sha256 hashes what it was given, in one part or several, none too', async () => {
  const wanted = (text: string) => createHash('sha256').update(text).digest('hex');
  expect(await digest(undefined)).toBe(wanted(''));
  expect(await digest(undefined, 'abc')).toBe(wanted('abc'));
  expect(await digest(undefined, 'ab', 'c')).toBe(wanted('abc'));
});

test('Sha256 takes a secret as text or bytes; a text that comes again gives what it gave', async () => {
  const wanted = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex');
  const pairs = [
    ['a', 'bc'],
    ['ab', 'c'],
    ['a b', 'c'],
    ['a', ' bc'],
    ['é', '\u{1f600}'],
  ] as const;
  for (let round = 0; round < 2; round += 1)
    for (const [secret, text] of pairs) expect(await digest(secret, text)).toBe(wanted(secret, text));
  for (const length of [0, 1, 63, 64, 65, 200])
    expect(await digest(bytes('k'.repeat(length)), 'bc', 'd')).toBe(wanted('k'.repeat(length), 'bcd'));
  expect(await digest(new Uint8Array(bytes('a')).buffer, 'bc')).toBe(wanted('a', 'bc'));
});

test('Sha256 forgets: many secrets later the first gives what it gave', async () => {
  const first = await digest('first', 'text');
  for (let other = 0; other < 100; other += 1) await digest(`other ${other}`, 'text');
  expect(await digest('first', 'text')).toBe(first);
});
