import { spawn } from 'node:child_process';
import { once } from 'node:events';
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
