import type { Entry } from '../../config/entry.ts';
import { RegistrarError } from '../../errors.ts';
import type { Store } from '../../ports.ts';
import type { EntryPorts } from '../register/register-ports.ts';
import { inventoryObjects } from './inventory.ts';
import type { LakeObject } from './lake-object.ts';

/** A directory of a lake, and the entry of the configuration that may read it. */
export interface Lake {
  /** Without a slash at its end. */
  readonly directory: string;
  readonly entry: Entry;
}

/** Finds the entry whose `url` the directory is at or below. @throws `config.invalid` when there is none */
export function lakeAt(uri: string, entries: readonly Entry[]): Lake {
  const directory = uri.replace(/\/$/, '');
  const entry = entries.find(({ url }) => `${directory}/`.startsWith(`${url}/`));
  if (entry !== undefined) return { directory, entry };
  const urls = entries.map(({ url }) => `"${url}"`).join(', ');
  throw new RegistrarError(
    'config.invalid',
    `Cannot backfill "${uri}": it is not below any url of the configuration (${urls})`,
  );
}

/** Every object below the directory, in key order. @throws `store.unavailable`, `auth.failed` */
export async function* listedObjects(
  { directory, entry }: Lake,
  portsOf: (entry: Entry) => EntryPorts,
): AsyncGenerator<LakeObject, void, undefined> {
  for await (const { uri, sizeBytes, version } of portsOf(entry).store.list(`${directory}/`)) {
    yield { uri, sizeBytes, etag: version };
  }
}

/** The objects of an inventory that are below the directory. @throws `config.invalid`, and the errors of the store */
export async function* inventoriedObjects(
  { directory, entry }: Lake,
  inventory: string,
  portsOf: (entry: Entry) => EntryPorts,
  local: Pick<Store, 'read'>,
): AsyncGenerator<LakeObject, void, undefined> {
  const open = (name: string) => (name.includes('://') ? portsOf(entry).store : local);
  for await (const object of inventoryObjects(inventory, open)) {
    if (object.uri.startsWith(`${directory}/`)) yield object;
  }
}
