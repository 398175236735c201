/** A table's name in its catalog: the namespace's levels and the table's own name, none of them escaped. */
export interface TableIdentifier {
  readonly namespace: readonly string[];
  readonly name: string;
}

/** `analytics.orders`, for people and for keys of maps; never split again, since names may hold dots. */
export function formatIdentifier(table: TableIdentifier): string {
  return [...table.namespace, table.name].join('.');
}
