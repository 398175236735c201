import type { Cell } from '../cell.ts';
import { cellOf } from '../tables/certified-table.ts';
import type { JavaTable, MetadataRows } from './java.ts';

/** Merging moves entries without changing them: an added entry becomes an existing one with the same snapshot ID and sequence numbers. */
export function mergesCell(
  feature: string,
  engine: string,
  tables: readonly Pick<JavaTable, 'merges'>[],
): Cell {
  const merges = tables.flatMap((table) => table.merges);
  const lines = merges.length === 0 ? ['no commit has merged manifests'] : [];
  let entries = 0;
  for (const { before, after } of merges) {
    const found = byFile(after);
    for (const [path, text] of byFile(before)) {
      entries += 1;
      if (found.get(path) !== text) lines.push(`${path}: ${found.get(path)} for ${text}`);
    }
    if (after.length <= before.length) lines.push(`${after.length} entries after ${before.length}`);
  }
  return cellOf(engine, feature, lines, `${merges.length} merges, ${entries} entries`);
}

/** Entries by the path of their file, without the status and without the fields that depend on the names in the schema. */
function byFile(entries: MetadataRows): ReadonlyMap<string, string> {
  return new Map(
    entries.map(({ status: _, readable_metrics: __, ...entry }) => [
      String((entry['data_file'] as { readonly file_path: string }).file_path),
      JSON.stringify(entry),
    ]),
  );
}
