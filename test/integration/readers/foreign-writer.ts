import type { Schema } from '../../../lib/spec/schema.ts';
import type { TableIdentifier } from '../../../lib/spec/table-identifier.ts';
import type { CatalogService } from '../services/service.ts';
import type { Row } from './canonical.ts';
import { runPython } from './python.ts';

/** What another writer does to a table; `column` is a dotted path, `type` a primitive type's name. */
export type ForeignStep =
  /** The catalog renumbers the field IDs. */
  | {
      readonly do: 'create';
      readonly schema: Schema;
      readonly properties?: Readonly<Record<string, string>>;
    }
  | { readonly do: 'append'; readonly rows: readonly Row[] }
  | { readonly do: 'add_files'; readonly paths: readonly string[] }
  | { readonly do: 'delete'; readonly filter: string }
  /** All rows into one new data file, as compaction does. */
  | { readonly do: 'overwrite' }
  | { readonly do: 'add_column' | 'promote_column'; readonly column: string; readonly type: string }
  | { readonly do: 'rename_column'; readonly column: string; readonly to: string }
  | { readonly do: 'drop_column'; readonly column: string }
  | { readonly do: 'require_column'; readonly column: string; readonly optional?: boolean }
  /** A new default spec with this field too; `transform` as the table spec writes it. */
  | {
      readonly do: 'partition_by';
      readonly column: string;
      readonly transform: string;
      readonly name: string;
    }
  | { readonly do: 'set_properties'; readonly properties: Readonly<Record<string, string>> }
  /** All but the current snapshot when none is named. */
  | { readonly do: 'expire'; readonly snapshotIds?: readonly string[] }
  | { readonly do: 'branch'; readonly branch: string; readonly snapshotId?: string }
  | { readonly do: 'rollback'; readonly snapshotId: string }
  | { readonly do: 'drop_table' };

/**
 * Takes steps on a table through PyIceberg; answers the current snapshot after each step that changed it, else null.
 * @throws Error with PyIceberg's own when a step fails
 */
export async function writeWithPyIceberg(
  request: TableIdentifier & { readonly catalog: CatalogService },
  steps: readonly ForeignStep[],
): Promise<readonly (string | null)[]> {
  const answer = await runPython('pyiceberg_writer.py', { ...request, steps });
  return (answer as { readonly snapshotIds: readonly (string | null)[] }).snapshotIds;
}
