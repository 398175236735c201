import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '../services/free-ports.ts';
import { untilReady } from '../services/ready.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const framework = path.join(
  path.dirname(createRequire(import.meta.url).resolve('@google-cloud/functions-framework')),
  'main.js',
);

/** What is deployed to Google Cloud, in a folder of its own: the built bundle, and the framework that Google installs beside it. */
export function deployedFolder(): { readonly folder: string; remove(): void } {
  const built = mkdtempSync(path.join(tmpdir(), 'google-cloud-'));
  execFileSync(process.execPath, ['esbuild.config.mjs', built], { cwd: root, stdio: 'pipe' });
  const folder = path.join(built, 'cloud-event');
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  return { folder, remove: () => rmSync(built, { recursive: true, force: true }) };
}

export interface FunctionServer {
  readonly url: string;
  /** What it has written, logs and errors. */
  output(): string;
  close(): Promise<void>;
}

/** Serves one target of the bundle in a process of its own, as Cloud Run does: by the Functions Framework. */
export async function serveFunction(
  folder: string,
  target: 'register' | 'pull',
  env: Readonly<Record<string, string>>,
): Promise<FunctionServer> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const output: string[] = [];
  const child = spawn(process.execPath, [framework, `--target=${target}`, `--source=${folder}`], {
    env: { PATH: process.env['PATH'] ?? '', PORT: String(port), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => output.push(`${text}`));
  let ended = false;
  child.once('exit', () => {
    ended = true;
  });
  const close = async () => {
    if (ended) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  try {
    await untilReady(`the function "${target}"`, async () => output.join('').includes('URL:'), {
      timeoutMs: 60_000,
      failed: () => (ended ? output.join('') : undefined),
    });
  } catch (error) {
    await close();
    throw error;
  }
  return { url, output: () => output.join(''), close };
}
