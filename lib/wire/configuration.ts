import { readFile } from 'node:fs/promises';
import { type Config, loadConfig } from '../config/load-config.ts';
import type { Environment } from '../config/overrides.ts';
import { RegistrarError } from '../errors.ts';
import { storeMaker } from './platform-services.ts';

/** Loads and validates the configuration in `REGISTRAR_CONFIG`, with its overrides. @throws `config.invalid` */
export function readConfig(env: Environment): Promise<Config> {
  return loadConfig(env, {
    readFile: (path) => readFile(path, 'utf8'),
    readCertificate: (path) => readFile(path, 'utf8'),
    readObject: async (uri) => {
      const read = await storeMaker(env)({}).read(uri);
      if (read.kind === 'object') return Buffer.from(read.bytes).toString('utf8');
      throw new RegistrarError('config.invalid', `the store says ${read.kind}`);
    },
    // Most configurations name no secret.
    resolveSecret: async (store, name) => (await import('../drivers/secrets.ts')).readSecret(store, name),
  });
}

/**
 * Checks a configuration's text without reading its secrets.
 *
 * @param variables replaces the environment variables of the place where the configuration will be used
 * @throws `config.invalid`, listing every problem
 */
export async function checkConfig(text: string, variables: Environment = {}): Promise<void> {
  await loadConfig(
    // A value with a line break is the text itself, not the name of a file.
    { ...variables, REGISTRAR_CONFIG: `${text}\n` },
    {
      readFile: (path) => readFile(path, 'utf8'),
      readObject: async () => '',
      resolveSecret: async () => 'unread',
    },
  );
}
