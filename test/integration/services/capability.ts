import { type TestOptions, test } from 'vitest';
import type { CatalogName } from './chosen.ts';

/** What is shown of catalogs, in the order in which the matrix has it. */
export const capabilities = [
  'contract',
  'evolution',
  'story',
  'doctor',
  'private CA',
  'bearer',
  'OAuth2',
  'client certificate',
  'SigV4',
  'vended',
] as const;

/** A cell of the matrix that is printed after the run. */
export interface Capability {
  readonly catalog: CatalogName | 'embedded';
  readonly name: (typeof capabilities)[number];
}

declare module 'vitest' {
  interface TaskMeta {
    capability?: Capability;
  }
}

/** Options of a test or a group whose end is told in a cell of the matrix. */
export function shows(catalog: Capability['catalog'], name: Capability['name']): Pick<TestOptions, 'meta'> {
  return { meta: { capability: { catalog, name } } };
}

/** A test that shows a capability. */
export function capability(
  catalog: Capability['catalog'],
  name: Capability['name'],
  title: string,
  run: () => Promise<void>,
): void {
  test(title, shows(catalog, name), run);
}
