import { join } from 'node:path';
import { build } from 'esbuild';
import { bundle } from '../../../test/soak/bundle.ts';

/** The deployed register function and the program around it. Both are JavaScript, so that no TypeScript loader takes memory. */
export interface RegisterProgram {
  readonly program: string;
  readonly bundle: string;
}

/** Builds both in a folder. */
export async function buildRegister(scratch: string): Promise<RegisterProgram> {
  const program = join(scratch, 'register-process.mjs');
  await Promise.all([
    bundle(scratch),
    build({
      entryPoints: [join(import.meta.dirname, 'register-process.ts')],
      outfile: program,
      bundle: true,
      platform: 'node',
      format: 'esm',
    }),
  ]);
  return { program, bundle: join(scratch, 'dist/register/index.mjs') };
}
