import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** A Python program that runs: a request a line goes in, `{"answer": …}` or `{"error": "…"}` a line comes out. */
export interface Program {
  /** @throws Error with the program's own when it fails */
  ask(request: unknown): Promise<unknown>;
  stop(): Promise<void>;
}

/** Starts `python <args>`; what it says on its error stream goes to `onErrors`. */
export function startProgram(
  python: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  onErrors: (text: string) => void,
): Program {
  const child = spawn(python, args, { env: { ...process.env, TZ: 'UTC', ...env } });
  const waiting: PromiseWithResolvers<string>[] = [];
  const ended = once(child, 'close').then(() => {
    for (const { reject } of waiting.splice(0)) reject(new Error(`${args[0]} ended`));
  });
  child.stderr.setEncoding('utf8').on('data', onErrors);
  child.stdin.on('error', () => {});
  createInterface(child.stdout).on('line', (line) => waiting.shift()?.resolve(line));
  return {
    async ask(request) {
      if (child.exitCode !== null || child.signalCode !== null) throw new Error(`${args[0]} ended`);
      const line = Promise.withResolvers<string>();
      waiting.push(line);
      child.stdin.write(`${JSON.stringify(request)}\n`);
      const { answer, error } = JSON.parse(await line.promise) as { answer?: unknown; error?: string };
      if (error !== undefined) throw new Error(error);
      return answer;
    },
    async stop() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
