import { withoutEndSlashes } from './object-uri.ts';
import type { TableState } from './table-state.ts';

/** The directory of a table's metadata files, manifests and manifest lists, without a slash at its end. */
export function metadataDirectory({
  location,
  properties,
}: Pick<TableState, 'location' | 'properties'>): string {
  return withoutEndSlashes(properties['write.metadata.path'] ?? `${location}/metadata`);
}
