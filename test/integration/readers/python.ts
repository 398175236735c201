import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { inject } from 'vitest';

/**
 * Runs a program of this folder: the request goes in as JSON, the answer comes out as JSON.
 * @throws Error with what the program said when it fails
 */
export async function runPython(program: string, request: unknown): Promise<unknown> {
  const child = spawn(inject('readersPython'), [join(import.meta.dirname, program)], {
    env: { ...process.env, TZ: 'UTC' },
  });
  const ended = new Promise<number | null>((resolve, reject) =>
    child.once('error', reject).once('close', resolve),
  );
  child.stdin.end(JSON.stringify(request));
  const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (code !== 0) throw new Error(`${program} ended with ${code}:\n${errors}`);
  return JSON.parse(output);
}
