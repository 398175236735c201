import { branchHead, type TableState } from '../spec/table-state.ts';
import type { TableRequirement, TableUpdate } from '../spec/table-update.ts';

/**
 * Everything that an attempt has checked is asserted by its commit (I8): table UUID, branch head (if the branch has none, every
 * other ref as well), current schema and default spec; with a schema change also the last field ID.
 */
export function assertions(
  state: TableState,
  branch: string,
  updates: readonly TableUpdate[],
): readonly TableRequirement[] {
  const head = branchHead(state, branch);
  const otherRefs = head === undefined ? Object.entries(state.refs).filter(([ref]) => ref !== branch) : [];
  const addsSchema = updates.some((update) => update.action === 'add-schema');
  return [
    { type: 'assert-table-uuid', uuid: state.uuid },
    { type: 'assert-ref-snapshot-id', ref: branch, 'snapshot-id': head?.snapshotId ?? null },
    ...otherRefs.map(([ref, { snapshotId }]): TableRequirement => {
      return { type: 'assert-ref-snapshot-id', ref, 'snapshot-id': snapshotId };
    }),
    { type: 'assert-current-schema-id', 'current-schema-id': state.currentSchema['schema-id'] ?? 0 },
    { type: 'assert-default-spec-id', 'default-spec-id': state.defaultSpec['spec-id'] },
    ...(addsSchema
      ? [{ type: 'assert-last-assigned-field-id', 'last-assigned-field-id': state.lastColumnId } as const]
      : []),
  ];
}
