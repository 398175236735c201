import { type ChildProcess, execFile } from 'node:child_process';
import path from 'node:path';
import { watch } from '../fakes/secret-watch.ts';

export interface Ran {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs the command line in a process of its own, as a user does, while this one serves it.
 *
 * @param begun is handed the process, for whoever wants to end it
 */
export function runCli(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  begun: (child: ChildProcess) => void = () => {},
): Promise<Ran> {
  const options = {
    cwd: path.resolve(import.meta.dirname, '../..'),
    env: { PATH: process.env['PATH'], ...environment },
  };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, ['cli/main.mjs', ...args], options, (error, stdout, stderr) => {
      watch('what a command printed', stdout + stderr);
      resolve({ status: error === null ? 0 : Number(error.code), stdout, stderr });
    });
    begun(child);
  });
}
