import { secretIn } from './planted-secrets.ts';

/** What came out with a secret in it. */
export interface Leak {
  readonly secret: string;
  readonly where: string;
  readonly text: string;
}

/** One list for a process, whatever is loaded anew in it. */
const world = globalThis as { leaks?: Leak[] };
world.leaks ??= [];
const { leaks } = world;

/** Searches what comes out of the registrar; what is found is told by the test's end, since a throw here could be caught. */
export function watch(where: string, text: string | Uint8Array): void {
  const words = typeof text === 'string' ? text : Buffer.from(text).toString('latin1');
  const secret = secretIn(words);
  if (secret !== undefined) leaks.push({ secret, where, text: words.slice(0, 500) });
}

/** All since the last call. */
export function takeLeaks(): readonly Leak[] {
  return leaks.splice(0);
}

/** @throws when a secret came out since the last call */
export function expectNoLeak(): void {
  const found = takeLeaks();
  if (found.length === 0) return;
  const lines = found.map(({ secret, where, text }) => `"${secret}" in ${where}: ${text}`);
  throw new Error(`A secret came out (I10):\n${lines.join('\n')}`);
}
