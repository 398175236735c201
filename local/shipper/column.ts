import type { StructType, Type } from '../../lib/spec/schema.ts';

/** A column as figures are kept of it: reached through structs only, itself no struct. */
export interface Column {
  readonly id: number;
  readonly path: readonly string[];
  readonly type: Exclude<Type, StructType>;
}

/** The columns of a schema in its order; those of a struct in the struct's place. */
export function columnsOf(struct: StructType, parent: readonly string[] = []): readonly Column[] {
  return struct.fields.flatMap(({ id, name, type }) => {
    const path = [...parent, name];
    return typeof type !== 'string' && type.type === 'struct' ? columnsOf(type, path) : [{ id, path, type }];
  });
}
