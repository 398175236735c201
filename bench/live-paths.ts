import { manifestReader } from '../lib/jobs/register/table-manifests.ts';
import { readTableMetadata } from '../lib/spec/table-metadata.ts';
import { branchHead } from '../lib/spec/table-state.ts';
import type { Wiring } from '../lib/wire.ts';

/** The live paths of a table of the first entry, with duplicates. Empty if there is no table. */
export async function livePaths({ entries, portsOf }: Wiring, name: string): Promise<readonly string[]> {
  const [entry] = entries;
  if (entry === undefined) throw new RangeError('Cannot read a table without an entry');
  const { catalog, store } = portsOf(entry);
  const identifier = { namespace: entry.namespace, name };
  const loaded = await catalog.load(identifier);
  const head = loaded && branchHead(readTableMetadata(identifier, loaded), entry.branch);
  if (head === undefined) return [];
  return (await Array.fromAsync(manifestReader(store).live(head))).map(({ filePath }) => filePath);
}
