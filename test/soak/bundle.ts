import { execFile } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../..');

/** Builds the functions as they are deployed, into `<scratch>/dist`, which no other build touches. */
export async function bundle(scratch: string): Promise<void> {
  for (const name of ['functions', 'cli', 'lib', 'package.json'])
    symlinkSync(join(root, name), join(scratch, name));
  await promisify(execFile)(process.execPath, [join(root, 'esbuild.config.mjs')], { cwd: scratch });
}
