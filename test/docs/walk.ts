import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Schema } from '../../lib/spec/schema.ts';
import type { Row } from '../../local/shipper/dataset.ts';
import { writeParquet } from '../../local/shipper/segment.ts';
import { type Stack, startStack } from '../../local/stack.ts';
import type { Ran } from '../cli/run.ts';
import { root } from './fences.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** A reader's terminal: the commands of a page run in a folder of their own, against an embedded stack in place of the page's services. */
export interface Walk {
  readonly stack: Stack;
  readonly folder: string;
  /** Writes a segment to the store. Each is a minute younger than the one before, the first nearly two hours old. */
  upload(uri: string, contents: { readonly schema: Schema; readonly rows: readonly Row[] } | string): void;
  /** Runs a command in a shell. @param interruptOn ends it as Ctrl-C does, once it has printed that */
  type(command: string, interruptOn?: string): Promise<Ran>;
  close(): Promise<void>;
}

/** @param written the page's configuration: the text of a file, or what REGISTRAR_CONFIG holds where the page names no file */
export async function startWalk(
  buckets: readonly string[],
  written: Readonly<Record<string, unknown>> = {},
  file?: string,
): Promise<Walk> {
  let uploads = 0;
  let uploadedMs: number | undefined;
  const stack = await startStack({ now: () => uploadedMs ?? Date.now() });
  for (const bucket of buckets) stack.createBucket(bucket);
  const registrations = stack.createQueue('registrations', { fifo: true, visibilitySeconds: 360 });

  const folder = mkdtempSync(path.join(tmpdir(), 'walk-'));
  for (const name of ['events', 'test']) symlinkSync(path.join(root, name), path.join(folder, name));
  writeFileSync(
    path.join(folder, 'npx'),
    `#!/bin/sh\n[ "$1" = iceberg-registrar ] && shift && exec "${process.execPath}" "${root}/cli/main.mjs" "$@"\n`,
    { mode: 0o755 },
  );
  const config = JSON.stringify(written);
  if (file !== undefined) writeFileSync(path.join(folder, file), config);
  const environment = {
    PATH: `${folder}:${process.env['PATH']}`,
    HOME: folder,
    AWS_ACCESS_KEY_ID: stack.credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: stack.credentials.secretAccessKey,
    ...(file === undefined && Object.keys(written).length > 0 && { REGISTRAR_CONFIG: config }),
  };
  /** What stands for the services that the page's configuration names. */
  const embedded = {
    REGISTRAR_CATALOG_URI: stack.catalogUri,
    REGISTRAR_CATALOG_TOKEN: 'a-token',
    REGISTRAR_STORE__ENDPOINT: stack.s3Endpoint,
    REGISTRAR_STORE__REGION: stack.region,
    REGISTRAR_STORE__ALLOW_HTTP: 'true',
    REGISTRAR_QUEUES__REGISTRATIONS: registrations.url,
  };
  const exported: string[] = [];
  const exportsArrivals = `export REGISTRAR_QUEUES__ARRIVALS=${stack.createQueue('arrivals').url}`;

  return {
    stack,
    folder,
    upload(uri, contents) {
      const [, bucket = '', key = ''] = /^s3:\/\/([^/]+)\/(.*)$/.exec(uri) ?? [];
      const bytes = typeof contents === 'string' ? contents : writeParquet(contents.schema, contents.rows);
      uploads += 1;
      uploadedMs = Date.now() - 2 * HOUR_MS + uploads * MINUTE_MS;
      stack.objects.put(bucket, key, Buffer.from(bytes));
      uploadedMs = undefined;
    },
    type(command, interruptOn) {
      if (command.startsWith('export ')) exported.push(command, exportsArrivals);
      const isConfigured = `${exported} ${command} ${Object.keys(environment)}`.includes('REGISTRAR_CONFIG');
      return new Promise((resolve) => {
        const child = execFile(
          'sh',
          ['-euc', [...exported, command].join('\n').replace(/^npx/m, 'exec npx')],
          { cwd: folder, env: { ...environment, ...(isConfigured && embedded) } },
          (error, stdout, stderr) =>
            resolve({ status: error === null ? 0 : Number(error.code), stdout, stderr }),
        );
        if (interruptOn !== undefined) {
          child.stdout?.on(
            'data',
            (printed: string) => printed.includes(interruptOn) && child.kill('SIGINT'),
          );
        }
      });
    },
    async close() {
      await stack.close();
      rmSync(folder, { recursive: true });
    },
  };
}
