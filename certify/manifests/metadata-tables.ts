import type { MetadataRows, MetadataTables } from './java.ts';

/** The columns of Iceberg's metadata tables that all engines have in common. */
const columns: Readonly<Record<string, readonly string[]>> = {
  files: ['content', 'file_path', 'spec_id', 'record_count', 'file_size_in_bytes'],
  manifests: [
    'content',
    'path',
    'length',
    'partition_spec_id',
    'added_snapshot_id',
    'added_data_files_count',
    'existing_data_files_count',
    'deleted_data_files_count',
  ],
  snapshots: ['snapshot_id', 'parent_id', 'operation', 'manifest_list'],
  partitions: ['spec_id', 'record_count', 'file_count'],
  entries: ['status', 'snapshot_id', 'sequence_number', 'file_sequence_number', 'data_file.file_path'],
  refs: ['name', 'type', 'snapshot_id'],
  history: ['snapshot_id', 'parent_id', 'is_current_ancestor'],
};

export const metadataTables = Object.keys(columns);

/** The differences between the metadata tables of two engines, one line each. */
export function differentRows(expected: MetadataTables, found: MetadataTables): readonly string[] {
  return metadataTables.flatMap((name) => {
    const [want, got] = [texts(name, expected[name]), texts(name, found[name])];
    const missing = want.filter((row) => !got.includes(row));
    const more = got.filter((row) => !want.includes(row));
    if (missing.length === 0 && more.length === 0 && want.length === got.length) return [];
    return [`${name}: ${got.length} rows for ${want.length}, such as ${more[0]} for ${missing[0]}`];
  });
}

function texts(name: string, rows: MetadataRows = []): readonly string[] {
  return rows.map((row) => (columns[name] ?? []).map((column) => String(at(row, column))).join(' '));
}

function at(row: unknown, column: string): unknown {
  return column
    .split('.')
    .reduce<unknown>(
      (value, name) => (value as Readonly<Record<string, unknown>> | null)?.[name] ?? null,
      row,
    );
}
