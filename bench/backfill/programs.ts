import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import type { CatalogService } from '../../test/integration/services/service.ts';
import { installedFolder } from '../../test/integration/services/services.ts';
import { storeSettings } from '../../test/integration/services/settings.ts';
import { schema } from './lake.ts';

const here = import.meta.dirname;

export interface Ran {
  readonly seconds: number;
  readonly peakMib: number;
}

/** The configuration of a run, which has its own namespace. */
export function settingsOf({ uri, store }: CatalogService, namespace: string) {
  return {
    url: `s3://${store.bucket}/in`,
    namespace,
    table_location: `s3://${store.bucket}/tables/${namespace}/{dataset}`,
    catalog_uri: uri,
    create_table: true,
    store: storeSettings(store),
  };
}

/** Runs `backfill` as a user does, in a process whose start is included in the time. */
export async function runOurs(
  service: CatalogService,
  namespace: string,
  directory: string,
  options: readonly string[] = [],
): Promise<Ran & { readonly committed: number; readonly registered: number }> {
  const startedMs = performance.now();
  const { child, ended } = startOurs(service, namespace, directory, ['--json', ...options]);
  const { stdout, stderr } = await ended;
  const seconds = (performance.now() - startedMs) / 1_000;
  if (child.exitCode !== 0) throw new Error(`backfill ended with ${child.exitCode}: ${stderr}${stdout}`);
  const { done, registered } = JSON.parse(stdout);
  return {
    seconds,
    peakMib: Number(/peak RSS: (\d+) MiB/.exec(stderr)?.[1]),
    committed: done.committed ?? 0,
    registered,
  };
}

export function startOurs(
  service: CatalogService,
  namespace: string,
  directory: string,
  options: readonly string[],
) {
  // Executed as a file, as npx does, so that the heap options in its first line apply.
  const child = spawn(path.join(here, '../../cli/main.mjs'), ['backfill', directory, ...options], {
    env: {
      PATH: `${path.dirname(process.execPath)}:${process.env['PATH']}`,
      NODE_OPTIONS: `--import ${path.join(here, 'peak-memory.mjs')}`,
      REGISTRAR_CONFIG: `${JSON.stringify(settingsOf(service, namespace))}\n`,
    },
  });
  return { child, ended: output(child) };
}

export async function runPyIceberg(
  { uri, store }: CatalogService,
  namespace: string,
  paths: readonly string[],
): Promise<Ran & { readonly files: string; readonly rows: string }> {
  const child = spawn(`${installedFolder}/readers/bin/python`, [path.join(here, 'add_files.py')]);
  child.stdin.end(JSON.stringify({ uri, store, namespace, name: 'orders', schema, paths }));
  const { stdout, stderr } = await output(child);
  if (child.exitCode !== 0) throw new Error(`PyIceberg ended with ${child.exitCode}: ${stderr}`);
  return JSON.parse(stdout);
}

/** What a process prints until it has ended. */
export function output(child: ChildProcess): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const out = { stdout: '', stderr: '' };
  child.stdout?.on('data', (data) => {
    out.stdout += data;
  });
  child.stderr?.on('data', (data) => {
    out.stderr += data;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve(out));
  });
}
