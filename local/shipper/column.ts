import type { StructType, Type } from '../../lib/spec/schema.ts';

/** A column for which figures are kept: possibly nested in structs, but not itself a struct. */
export interface Column {
  readonly id: number;
  readonly path: readonly string[];
  readonly type: Exclude<Type, StructType>;
}

/** The columns of a schema in order, with a struct replaced by its columns. */
export function columnsOf(struct: StructType, parent: readonly string[] = []): readonly Column[] {
  return struct.fields.flatMap(({ id, name, type }) => {
    const path = [...parent, name];
    return typeof type !== 'string' && type.type === 'struct' ? columnsOf(type, path) : [{ id, path, type }];
  });
}
