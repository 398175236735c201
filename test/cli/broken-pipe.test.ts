import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';

test('the command line ends without a word when nobody reads its output any more', async () => {
  // It prints several times: the first that nobody takes goes unnoticed.
  const child = spawn(process.execPath, ['cli/main.mjs', 'invoke', 'register', 'events/chunk-message.json'], {
    cwd: path.resolve(import.meta.dirname, '../..'),
  });
  child.stdout.destroy();
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  expect(said).not.toContain('EPIPE');
  expect(code).toBe(141);
});

test.skipIf(!existsSync('/dev/full'))('a full disk under the output is said in one line', async () => {
  const child = spawn('sh', ['-c', 'exec "$0" cli/main.mjs settings > /dev/full', process.execPath], {
    cwd: path.resolve(import.meta.dirname, '../..'),
  });
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  expect(said).toMatch(/^Cannot write the output: .*no space left on device.*\n$/);
  expect(code).toBe(1);
});
