import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RegistrarError } from '../../lib/errors.ts';

/** A running LocalStack, and how clients reach it. */
export interface LocalStack {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** The settings for the configuration's `store`. */
  readonly store: Readonly<Record<string, string | boolean>>;
  close(): Promise<void>;
}

const REGION = 'us-east-1';
const KEY = 'test';
const READY_MS = 180_000;
const INSTALLED = path.resolve(import.meta.dirname, '../../.services/localstack/bin/python');
const NEEDED = ['s3', 'sqs', 'events', 'cloudformation'];

/** Uses a LocalStack that is already running. @throws `config.invalid` when it does not answer, or lacks a service */
export async function attach(endpoint: string): Promise<LocalStack> {
  const services = await servicesOf(endpoint).catch((cause: unknown) => {
    throw new RegistrarError(
      'config.invalid',
      `Cannot deploy to "${endpoint}": no LocalStack answers there; start one, or leave out --endpoint to have this command start one`,
      { cause },
    );
  });
  const missing = NEEDED.filter((name) => !isUp(services[name]));
  if (missing.length > 0) {
    throw new RegistrarError(
      'config.invalid',
      `Cannot deploy to "${endpoint}": it does not serve ${missing.join(', ')}; start LocalStack with SERVICES=${NEEDED.join(',')}`,
    );
  }
  return described(endpoint, async () => {});
}

/**
 * Starts the LocalStack that `.ci/setup localstack` installs, in memory, on a free port.
 *
 * @throws `config.invalid` when it is not installed, or does not start
 */
export async function start(): Promise<LocalStack> {
  if (!(await isThere(INSTALLED))) {
    throw new RegistrarError(
      'config.invalid',
      'Cannot start LocalStack: it is not installed; run .ci/setup localstack, or name a running one with --endpoint http://127.0.0.1:4566',
    );
  }
  const folder = await mkdtemp(path.join(tmpdir(), 'iceberg-registrar-'));
  const address = `127.0.0.1:${await freePort()}`;
  const log = path.join(folder, 'localstack.log');
  const child = spawn('sh', ['-c', `exec "$0" -m localstack.runtime.main >"$1" 2>&1`, INSTALLED, log], {
    cwd: folder,
    // In its own process group, so that Ctrl-C reaches only this command, which stops LocalStack last.
    detached: true,
    stdio: 'ignore',
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      SERVICES: NEEDED.join(','),
      EAGER_SERVICE_LOADING: '1',
      STRICT_SERVICE_LOADING: '1',
      DISABLE_EVENTS: '1',
      SKIP_SSL_CERT_DOWNLOAD: '1',
      AWS_DEFAULT_REGION: REGION,
      GATEWAY_LISTEN: address,
      LOCALSTACK_HOST: address,
      SQS_ENDPOINT_STRATEGY: 'path',
      DNS_ADDRESS: '0',
      FILESYSTEM_ROOT: path.join(folder, 'filesystem'),
    },
  });
  const exited = once(child, 'exit');
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  const kill = () => {
    if (child.pid !== undefined && isRunning()) process.kill(-child.pid, 'SIGKILL');
  };
  process.once('exit', kill);
  const close = async () => {
    process.removeListener('exit', kill);
    kill();
    if (isRunning()) await exited;
    await rm(folder, { recursive: true, force: true });
  };
  const endMs = Date.now() + READY_MS;
  for (;;) {
    const services = await servicesOf(`http://${address}`).catch(() => ({}) as Record<string, string>);
    if (NEEDED.every((name) => isUp(services[name]))) return described(`http://${address}`, close);
    if (!isRunning() || Date.now() > endMs || Object.values(services).includes('error')) {
      const tail = (await readFile(log, 'utf8').catch(() => '')).split('\n').slice(-10).join('\n');
      await close();
      throw new RegistrarError('config.invalid', `Cannot start LocalStack; the end of its log:\n${tail}`);
    }
    await sleep(200);
  }
}

function described(endpoint: string, close: () => Promise<void>): LocalStack {
  return {
    endpoint,
    region: REGION,
    credentials: { accessKeyId: KEY, secretAccessKey: KEY },
    store: {
      endpoint,
      region: REGION,
      allow_http: true,
      path_style: true,
      access_key_id: KEY,
      secret_access_key: KEY,
    },
    close,
  };
}

/** LocalStack answers before its services are loaded. For a service that cannot load, it reports "error" forever. */
async function servicesOf(endpoint: string): Promise<Readonly<Record<string, string>>> {
  const response = await fetch(`${endpoint}/_localstack/health`, { signal: AbortSignal.timeout(2_000) });
  const { services } = (await response.json()) as { services: Record<string, string> };
  return services;
}

function isUp(state: string | undefined): boolean {
  return state === 'available' || state === 'running';
}

function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
