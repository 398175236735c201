import type { TableState } from '../spec/table-state.ts';

/** Where a table's manifests and manifest lists go, without a slash at its end. */
export function metadataDirectory(state: Pick<TableState, 'location' | 'properties'>): string {
  const configured = state.properties['write.metadata.path'];
  return configured === undefined ? `${state.location}/metadata` : configured.replace(/(?<!\/)\/+$/, '');
}
