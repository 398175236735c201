/**
 * The protocol between the bench and a contender, which is a long-lived process: one job per line on its standard input, one answer per line
 * on its standard output. All other lines are its log.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** The figures of one commit, measured by the contender itself. */
export interface Answer {
  readonly elapsedMs: number;
  /** CPU time of the whole process during the commit. */
  readonly cpuMs: number;
  /** After the commit. */
  readonly rssMib: number;
  /** Registrar only: the duration of the commit requests. */
  readonly commitMs?: number;
  /** Registrar only: the number of commit requests refused because of another writer's commit. */
  readonly conflicts?: number;
}

export interface Process {
  /** @throws Error with the end of its log when the process ends instead of answering */
  ask(job: unknown): Promise<Answer>;
  stop(): Promise<void>;
}

export interface Command {
  readonly name: string;
  readonly file: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const LOG_KEPT = 4_000;

/** Processes to stop when this process ends for any reason. */
const running = new Set<() => void>();
process.once('exit', () => {
  for (const kill of running) kill();
});

export function startProcess({ name, file, args, env }: Command): Process {
  const child = spawn(file, args, { env: { PATH: process.env['PATH'], ...env } });
  let log = '';
  const keep = (text: string): void => {
    log = `${log}${text}`.slice(-LOG_KEPT);
  };
  const kill = () => child.kill('SIGKILL');
  running.add(kill);
  let waiting: PromiseWithResolvers<Answer> | undefined;
  let ended: Error | undefined;
  const fail = (reason: string): void => {
    ended ??= new Error(`"${name}" ${reason}:\n${log}`);
    waiting?.reject(ended);
  };
  child.once('error', ({ message }) => fail(`cannot be started, ${message}`));
  child.once('close', (code, signal) => fail(`ended with ${signal ?? `code ${code}`}`));
  child.stderr.setEncoding('utf8').on('data', keep);
  child.stdin.on('error', () => {});
  createInterface(child.stdout).on('line', (line) => {
    if (line.startsWith('{"elapsedMs":')) waiting?.resolve(JSON.parse(line) as Answer);
    else keep(`${line}\n`);
  });
  return {
    async ask(job) {
      if (ended !== undefined) throw ended;
      waiting = Promise.withResolvers<Answer>();
      child.stdin.write(`${JSON.stringify(job)}\n`);
      return waiting.promise;
    },
    async stop() {
      running.delete(kill);
      if (ended !== undefined) return;
      kill();
      await once(child, 'close');
    },
  };
}

/** The contender's side, for programs of this folder: answers every job with the duration of `work`. */
export async function serve<Job, Prepared>(worker: {
  /** Not part of the measured time. */
  readonly prepare: (job: Job) => Promise<Prepared>;
  readonly work: (prepared: Prepared) => Promise<Partial<Answer>>;
}): Promise<void> {
  for await (const line of createInterface(process.stdin)) {
    const prepared = await worker.prepare(JSON.parse(line) as Job);
    const [startedMs, cpu] = [performance.now(), process.cpuUsage()];
    const more = await worker.work(prepared);
    const [elapsedMs, used] = [performance.now() - startedMs, process.cpuUsage(cpu)];
    const rssMib = process.memoryUsage.rss() / 2 ** 20;
    const answer: Answer = { elapsedMs, cpuMs: (used.user + used.system) / 1000, rssMib, ...more };
    process.stdout.write(`${JSON.stringify(answer)}\n`);
  }
}
