import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

test('httpSender does not let large answers pile up outside of the heap', async () => {
  const answer = Buffer.alloc(2 * 2 ** 20, 'x');
  const server = createServer((_, response) => response.end(answer));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    const program = join(import.meta.dirname, 'large-answers.ts');
    const ran = await promisify(execFile)(process.execPath, [program, `http://127.0.0.1:${port}`]);
    const { kind, most } = JSON.parse(ran.stdout) as { readonly kind: string; readonly most: number };
    expect(kind).toBe('answer');
    // Answers kept and under way, and chunks: uncollected, forty rounds leave more than 50.
    expect(most).toBeLessThan(24);
  } finally {
    server.close();
  }
}, 60_000);
