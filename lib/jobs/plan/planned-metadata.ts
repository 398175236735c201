import type { LoadedTable } from '../../ports.ts';
import type { TableUpdate } from '../../spec/table-update.ts';

export type Metadata = LoadedTable['metadata'];

/** The metadata that a catalog starts from when a commit asserts that there is no table. */
export const noTable: Metadata = {
  'last-sequence-number': 0,
  'last-updated-ms': 0,
  'last-column-id': 0,
  schemas: [],
  'partition-specs': [],
  'sort-orders': [],
  'next-row-id': 0,
};

/** Metadata after a commit, but for refs: what the later stages of a plan look at. */
export function applied(before: Metadata, updates: readonly TableUpdate[]): Metadata {
  const after: Record<string, unknown> = { ...before };
  const append = (key: string, item: unknown) => {
    after[key] = [...((after[key] ?? []) as readonly unknown[]), item];
  };
  let schemaId: unknown;
  let specId: unknown;
  for (const update of updates) {
    switch (update.action) {
      case 'assign-uuid':
        after['table-uuid'] = update.uuid;
        break;
      case 'upgrade-format-version':
        after['format-version'] = update['format-version'];
        break;
      case 'set-location':
        after['location'] = update.location;
        break;
      case 'add-schema':
        append('schemas', update.schema);
        after['last-column-id'] = update['last-column-id'];
        schemaId = update.schema['schema-id'];
        break;
      case 'set-current-schema':
        after['current-schema-id'] = update['schema-id'] === -1 ? schemaId : update['schema-id'];
        break;
      case 'add-spec':
        append('partition-specs', update.spec);
        specId = update.spec['spec-id'];
        break;
      case 'set-default-spec':
        after['default-spec-id'] = update['spec-id'] === -1 ? specId : update['spec-id'];
        break;
      case 'add-snapshot':
        // The snapshot is added, but its branch is not moved to it: later stages must not read files that were only planned.
        append('snapshots', update.snapshot);
        break;
      case 'set-properties':
        after['properties'] = { ...(after['properties'] as object | undefined), ...update.updates };
        break;
    }
  }
  return after;
}
