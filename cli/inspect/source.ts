import type { Entry } from '../../lib/config/entry.ts';
import { RegistrarError } from '../../lib/errors.ts';
import { referenceTo } from '../../lib/event/segment-reference.ts';
import type { Store } from '../../lib/ports.ts';
import { layoutRouter } from '../../lib/route/layout.ts';
import { plainSpelling } from '../../lib/spec/object-uri.ts';
import { storeOfName } from '../../lib/wire/platform-services.ts';
import { wire } from '../../lib/wire.ts';

/** What reads a file, and the entry of the configuration that would register it, if there is one. */
export interface Source {
  readonly store: Pick<Store, 'read'>;
  readonly entry?: Entry | undefined;
}

/**
 * The source of a file that is named on the command line. An object below an entry's `url` is read as the entry says.
 *
 * @throws `config.invalid` for a name that can be no file
 */
export async function sourceOf(name: string): Promise<Source> {
  const [, scheme] = /^([a-z][a-z0-9+.-]*):\/\//i.exec(name) ?? [];
  if (scheme === undefined) return { store: storeOfName(name, process.env) };
  const uri = plainSpelling(name);
  if (!/^(s3|gs):/.test(uri)) {
    throw new RegistrarError(
      'config.invalid',
      `Cannot inspect "${name}": only s3://bucket/key, gs://bucket/key and local files can be read`,
    );
  }
  const reference = referenceTo(uri);
  if (reference === undefined) {
    throw new RegistrarError(
      'config.invalid',
      `Cannot inspect "${name}": it names no object; give one as ${scheme}://bucket/key`,
    );
  }
  if (process.env['REGISTRAR_CONFIG'] === undefined) return { store: storeOfName(uri, process.env) };
  const { entries, portsOf } = await wire(process.env, process.stderr);
  const routing = layoutRouter(entries)(reference);
  // An object that no layout fits is inspected as its neighbours are registered.
  const entry =
    routing.kind === 'table' ? routing.entry : entries.find(({ url }) => uri.startsWith(`${url}/`));
  return { store: entry === undefined ? storeOfName(uri, process.env) : portsOf(entry).store, entry };
}
