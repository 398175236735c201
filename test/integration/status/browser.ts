import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { install, installedFolder } from '../services/services.ts';

interface Answer {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly request?: { readonly url: string } };
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly message: string };
}

/** A page as a browser shows it at some width. */
export interface Shown {
  /** What an expression of JavaScript is on the page. It must be JSON. */
  evaluate(expression: string): Promise<unknown>;
  /** PNG of the whole page. */
  picture(): Promise<Buffer>;
  /** URLs of every request, that of the page first. */
  readonly requests: readonly string[];
}

export interface Browser {
  show(url: string, width: number, scheme: 'light' | 'dark'): Promise<Shown>;
  close(): void;
}

/** Headless Chromium, spoken to over a pipe in the DevTools protocol: https://chromedevtools.github.io/devtools-protocol */
export async function startBrowser(): Promise<Browser> {
  await install('browser');
  const installed = path.join(installedFolder, 'browser');
  const profile = mkdtempSync(path.join(tmpdir(), 'browser-'));
  const child = spawn(
    path.join(installed, 'chromium'),
    [
      '--headless=shell',
      '--no-sandbox',
      '--no-zygote',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--remote-debugging-pipe',
      `--user-data-dir=${profile}`,
    ],
    {
      env: {
        ...process.env,
        FONTCONFIG_PATH: path.join(installed, 'fonts'),
        LD_LIBRARY_PATH: path.join(installed, 'al2023/lib'),
      },
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    },
  );
  const ended = new Promise<never>((_, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`Chromium ended with ${code}`)));
  });
  ended.catch(() => {});
  const [, , , commands, answers] = child.stdio as unknown as [null, null, null, Writable, Readable];

  const waiting = new Map<number, (answer: Answer) => void>();
  const requests: string[] = [];
  let loaded = () => {};
  let received = '';
  answers.setEncoding('utf8').on('data', (chunk: string) => {
    const messages = (received + chunk).split('\0');
    received = messages.pop() ?? '';
    for (const message of messages) {
      const answer = JSON.parse(message) as Answer;
      if (answer.id !== undefined) waiting.get(answer.id)?.(answer);
      if (answer.method === 'Network.requestWillBeSent') requests.push(answer.params?.request?.url ?? '');
      if (answer.method === 'Page.loadEventFired') loaded();
    }
  });
  let id = 0;
  let sessionId: string | undefined;
  async function send(method: string, params: object = {}): Promise<Record<string, unknown>> {
    id += 1;
    const sent = id;
    const answered = new Promise<Answer>((resolve) => waiting.set(sent, resolve));
    commands.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    const { result = {}, error } = await Promise.race([answered, ended]);
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  const { targetId } = await send('Target.createTarget', { url: 'about:blank' });
  sessionId = (await send('Target.attachToTarget', { targetId, flatten: true }))['sessionId'] as string;
  await send('Page.enable');
  await send('Network.enable');

  return {
    async show(url, width, scheme) {
      await send('Emulation.setDeviceMetricsOverride', {
        ...{ width, height: 844, deviceScaleFactor: 2, mobile: width < 600 },
      });
      const features = [{ name: 'prefers-color-scheme', value: scheme }];
      await send('Emulation.setEmulatedMedia', { features });
      requests.length = 0;
      const isLoaded = new Promise<void>((resolve) => {
        loaded = resolve;
      });
      await send('Page.navigate', { url });
      await Promise.race([isLoaded, ended]);
      return {
        requests: [...requests],
        async evaluate(expression) {
          const { result } = await send('Runtime.evaluate', { expression, returnByValue: true });
          return (result as { value?: unknown }).value;
        },
        async picture() {
          const { data } = await send('Page.captureScreenshot', { captureBeyondViewport: true });
          return Buffer.from(data as string, 'base64');
        },
      };
    },
    close() {
      child.kill('SIGKILL');
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
