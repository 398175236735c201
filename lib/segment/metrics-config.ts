/** The metrics that a table keeps of each column: its properties `write.metadata.metrics.*` (Iceberg Java, `MetricsConfig`). */
import { childFields, indexById, type Schema, type StructType, type Type } from '../spec/schema.ts';

export type MetricsMode =
  | { readonly kind: 'none' | 'counts' | 'full' }
  /** In code points of a string or bytes of a binary. */
  | { readonly kind: 'truncate'; readonly length: number };

export interface MetricsConfig {
  readonly modes: ReadonlyMap<number, MetricsMode>;
  /** The mode of columns that are not in `modes`. */
  readonly fallback: MetricsMode;
}

const prefix = 'write.metadata.metrics.';
const truncate16: MetricsMode = { kind: 'truncate', length: 16 };

/**
 * Reads the metrics modes of all columns. As in Iceberg's own writers, an invalid mode is ignored, and a table with more
 * columns than `max-inferred-column-defaults` (100) has metrics only for the first of them. Counts of its required columns are
 * kept all the same, since some engines refuse a required column without a null count (case A33).
 *
 * @param prunedColumnIds Columns that readers prune by (sort order, partition source), which have bounds even where the default
 *   has none.
 */
export function metricsConfig(
  properties: Readonly<Record<string, string>>,
  schema: Schema,
  prunedColumnIds: Iterable<number> = [],
): MetricsConfig {
  const fields = indexById(schema);
  const modes = new Map<number, MetricsMode>();
  const stated = parseMode(properties[`${prefix}default`]);
  const limit = positiveInteger(properties[`${prefix}max-inferred-column-defaults`]) ?? 100;
  let fallback = stated ?? truncate16;

  if (stated === undefined && countedFields(schema) > limit) {
    fallback = { kind: 'none' };
    for (const [id, { required, type }] of fields) {
      if (required && isPrimitive(type)) modes.set(id, { kind: 'counts' });
    }
    for (const id of firstPrimitives(schema, limit)) modes.set(id, truncate16);
  }
  for (const id of prunedColumnIds) {
    modes.set(id, fallback.kind === 'none' || fallback.kind === 'counts' ? truncate16 : fallback);
  }
  for (const [id, { path }] of fields) {
    const mode = parseMode(properties[`${prefix}column.${path.join('.')}`]);
    if (mode) modes.set(id, mode);
  }
  return { modes, fallback };
}

export function metricsMode(config: MetricsConfig, fieldId: number): MetricsMode {
  return config.modes.get(fieldId) ?? config.fallback;
}

function parseMode(text: string | undefined): MetricsMode | undefined {
  const mode = text?.toLowerCase();
  if (mode === 'none' || mode === 'counts' || mode === 'full') return { kind: mode };
  const length = positiveInteger(mode && /^truncate\((\d+)\)$/.exec(mode)?.[1]);
  return length === undefined ? undefined : { kind: 'truncate', length };
}

function positiveInteger(text: string | undefined): number | undefined {
  const value = Number(text);
  return text !== undefined && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

const isPrimitive = (type: Type): boolean => typeof type === 'string';

/**
 * The number of fields that count against the limit: primitives and structs that are struct fields, primitive elements, and
 * maps to primitives twice (Java, `GetProjectedIds`).
 */
function countedFields(schema: Schema): number {
  let count = 0;
  for (const { role, type } of indexById(schema).values()) {
    if (role === 'field' && (typeof type === 'string' || type.type === 'struct')) count += 1;
    if (role === 'element' && isPrimitive(type)) count += 1;
    if (role === 'value' && isPrimitive(type)) count += 2;
  }
  return count;
}

/** The first primitives, level by level within each struct (Java, `MetricsConfig.limitFieldIds`). */
function firstPrimitives(schema: StructType, limit: number): ReadonlySet<number> {
  const ids = new Set<number>();
  const visit = (type: Type): void => {
    if (typeof type === 'string' || ids.size >= limit) return;
    const children = childFields(type);
    for (const { id, type: childType } of children) {
      if (isPrimitive(childType) && ids.size < limit) ids.add(id);
    }
    for (const child of children) visit(child.type);
  };
  visit(schema);
  return ids;
}
