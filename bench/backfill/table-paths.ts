import { manifestReader } from '../../lib/jobs/register/table-manifests.ts';
import { readTableMetadata } from '../../lib/spec/table-metadata.ts';
import { branchHead } from '../../lib/spec/table-state.ts';
import { type Wiring, wire } from '../../lib/wire.ts';
import type { CatalogService } from '../../test/integration/services/service.ts';
import { settingsOf } from './programs.ts';

const wirings = new Map<string, Promise<Wiring>>();

/** The live paths of a namespace's table, with duplicates. Empty if there is no table. */
export async function tablePaths(service: CatalogService, namespace: string): Promise<readonly string[]> {
  const made =
    wirings.get(namespace) ??
    wire({ REGISTRAR_CONFIG: `${JSON.stringify(settingsOf(service, namespace))}\n` }, process.stderr);
  wirings.set(namespace, made);
  const { entries, portsOf } = await made;
  const [entry] = entries;
  if (entry === undefined) throw new RangeError('Cannot read a table without an entry');
  const { catalog, store } = portsOf(entry);
  const identifier = { namespace: entry.namespace, name: 'orders' };
  const loaded = await catalog.load(identifier);
  const head = loaded && branchHead(readTableMetadata(identifier, loaded), entry.branch);
  if (head === undefined) return [];
  return (await Array.fromAsync(manifestReader(store).live(head))).map(({ filePath }) => filePath);
}
