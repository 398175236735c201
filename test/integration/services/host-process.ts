import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { untilReady } from './ready.ts';
import type { Folders } from './service.ts';

export interface HostCommand {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly ready: () => Promise<boolean>;
  /** @default 180_000, for a machine that is busy with other things */
  readonly timeoutMs?: number;
}

/**
 * Starts a process in a group of its own and waits until it is ready; its output goes to `logs/<name>.log`.
 * Ending it is a SIGKILL to that group: what it keeps is thrown away anyway, and some services take long to end politely.
 * @throws Error with the end of the log when it exits or is not ready in time
 */
export async function startHostProcess(
  folders: Folders,
  host: HostCommand,
): Promise<{ stop(): Promise<void> }> {
  const logFile = join(folders.logs, `${host.name}.log`);
  const log = openSync(logFile, 'a');
  const child = spawn(host.command, host.args, {
    cwd: folders.scratch,
    detached: true,
    stdio: ['ignore', log, log],
    env: { ...inherited(), ...host.env },
  });
  let ended: string | undefined;
  child.once('error', (error) => {
    ended = error.message;
  });
  child.once('exit', (code, signal) => {
    ended ??= `it ended with ${signal ?? `code ${code}`}`;
  });
  const kill = () => {
    if (child.pid !== undefined && ended === undefined) process.kill(-child.pid, 'SIGKILL');
  };
  process.once('exit', kill);

  const stop = async () => {
    process.removeListener('exit', kill);
    if (ended !== undefined) return;
    const exited = once(child, 'exit');
    kill();
    await exited;
  };
  try {
    await untilReady(host.name, host.ready, { timeoutMs: host.timeoutMs ?? 180_000, failed: () => ended });
  } catch (error) {
    await stop();
    const tail = readFileSync(logFile, 'utf8').split('\n').slice(-20).join('\n');
    throw new Error(`${(error as Error).message}; the end of ${logFile}:\n${tail}`);
  }
  return { stop };
}

/** The environment without what would lead a service to another account, endpoint or folder. */
function inherited(): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('AWS_') && name !== 'TMPDIR'),
  );
}
