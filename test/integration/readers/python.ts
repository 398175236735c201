import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { inject } from 'vitest';

/** A program of this folder that runs: it takes a request a line and gives an answer a line. */
interface Program {
  ask(request: unknown): Promise<string>;
}

/** One process a program and test file: an interpreter takes seconds to start, an answer a fraction of one. */
const running = new Map<string, Program>();

/**
 * Asks a program of this folder: the request goes in as JSON, the answer comes out as JSON.
 * @throws Error with what the program said when it fails
 */
export async function runPython(program: string, request: unknown): Promise<unknown> {
  const started = running.get(program) ?? start(program);
  running.set(program, started);
  const { answer, error } = JSON.parse(await started.ask(request)) as { answer: unknown; error?: string };
  if (error !== undefined) throw new Error(`${program} failed:\n${error}`);
  return answer;
}

function start(program: string): Program {
  const child = spawn(inject('readersPython'), [join(import.meta.dirname, program)], {
    env: { ...process.env, TZ: 'UTC' },
  });
  const waiting: PromiseWithResolvers<string>[] = [];
  let errors = '';
  child.stderr.on('data', (data) => {
    errors = `${errors}${data}`.slice(-4000);
  });
  createInterface(child.stdout).on('line', (line) => waiting.shift()?.resolve(line));
  const failed = (reason: string) => {
    running.delete(program);
    for (const { reject } of waiting.splice(0)) reject(new Error(`${program} ${reason}:\n${errors}`));
  };
  child.once('error', ({ message }) => failed(message));
  child.once('close', (code, signal) => failed(`ended with ${signal ?? code}`));
  endsWithThisProcess(child);
  return {
    ask(request) {
      const answer = Promise.withResolvers<string>();
      waiting.push(answer);
      child.stdin.write(`${JSON.stringify(request)}\n`);
      return answer.promise;
    },
  };
}

/** It ends when its standard input does, and keeps nobody waiting until then. */
function endsWithThisProcess(child: ChildProcess): void {
  child.unref();
  for (const stream of [child.stdin, child.stdout, child.stderr]) {
    if (stream !== null && 'unref' in stream && typeof stream.unref === 'function') stream.unref();
  }
}
