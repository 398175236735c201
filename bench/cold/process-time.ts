import { spawn } from 'node:child_process';

export interface Program {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Written to its standard input. */
  readonly input?: string;
}

/** Milliseconds from the start of a Node process to its line `done`. @throws Error with its output when it ends otherwise */
export async function processTime({ args, env, input = '' }: Program): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const startedMs = performance.now();
  const child = spawn(process.execPath, args, { env: { ...env } });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (/^done$/m.test(output)) resolve(performance.now() - startedMs);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  child.once('error', reject);
  child.once('close', (code) => reject(new Error(`node ${args[0]} ended with code ${code}:\n${output}`)));
  child.stdin.end(input);
  return promise;
}
