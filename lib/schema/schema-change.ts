import { type Columns, fullName } from './columns.ts';

/** One difference between the table's schema before and after a merge. */
export type SchemaChange = { readonly fieldId: number; readonly path: string } & (
  | { readonly kind: 'added'; readonly type: string }
  | { readonly kind: 'renamed'; readonly from: string }
  | { readonly kind: 'promoted'; readonly from: string; readonly to: string }
  | { readonly kind: 'relaxed' }
  /** Others dropped it from the table while the dataset still has it; it stays dropped. */
  | { readonly kind: 'absent' }
);

export function schemaChanges(before: Columns, after: Columns): readonly SchemaChange[] {
  return [...after.values()].flatMap((column): SchemaChange[] => {
    const old = before.get(column.id);
    const at = { fieldId: column.id, path: fullName(after, column) };
    if (old === undefined) return [{ ...at, kind: 'added', type: column.type }];
    const changes: SchemaChange[] = [];
    if (old.name !== column.name) changes.push({ ...at, kind: 'renamed', from: fullName(before, old) });
    if (old.type !== column.type) changes.push({ ...at, kind: 'promoted', from: old.type, to: column.type });
    if (old.required && !column.required) changes.push({ ...at, kind: 'relaxed' });
    return changes;
  });
}

/** A change as one line of a readable diff: `+ note (7): string`. */
export function formatChange(change: SchemaChange): string {
  const column = `${change.path} (${change.fieldId})`;
  switch (change.kind) {
    case 'added':
      return `+ ${column}: ${change.type}`;
    case 'renamed':
      return `~ ${column}: renamed from ${change.from}`;
    case 'promoted':
      return `~ ${column}: ${change.from} → ${change.to}`;
    case 'relaxed':
      return `~ ${column}: required → optional`;
    case 'absent':
      return `- ${column}: dropped from the table by others, stays dropped`;
  }
}
