import { type Columns, fullName } from './columns.ts';

/** Prefixes of table properties whose names end in a column's full name. */
const COLUMN_PREFIXES = [
  'write.metadata.metrics.column.',
  'write.parquet.bloom-filter-enabled.column.',
  'write.parquet.bloom-filter-fpp.column.',
  'write.parquet.bloom-filter-ndv.column.',
  'write.parquet.stats-enabled.column.',
];

export interface PropertyChanges {
  readonly set: Readonly<Record<string, string>>;
  readonly removed: readonly string[];
}

/**
 * Renames column properties with their columns, also for columns inside a renamed struct (like Java's
 * `PropertyUtil.applySchemaChanges`).
 */
export function followRenames(
  properties: Readonly<Record<string, string>>,
  before: Columns,
  after: Columns,
): PropertyChanges {
  const newNames = new Map<string, string>();
  for (const column of before.values()) {
    const renamed = after.get(column.id);
    if (renamed === undefined) continue;
    const names = [fullName(before, column), fullName(after, renamed)] as const;
    if (names[0] !== names[1]) newNames.set(...names);
  }
  const moved = Object.entries(properties).flatMap(([property, value]) => {
    const prefix = COLUMN_PREFIXES.find((candidate) => property.startsWith(candidate));
    const newName = prefix && newNames.get(property.slice(prefix.length));
    return newName === undefined ? [] : [{ from: property, to: `${prefix}${newName}`, value }];
  });
  const set = Object.fromEntries(moved.map(({ to, value }) => [to, value]));
  return { set, removed: moved.map(({ from }) => from).filter((property) => !(property in set)) };
}
