/** A table's name in its catalog: the levels of its namespace and its own name, unescaped. */
export interface TableIdentifier {
  readonly namespace: readonly string[];
  readonly name: string;
}

/** `analytics.orders`, for people and as a map key. It is never split again, since names may contain dots. */
export function formatIdentifier(table: TableIdentifier): string {
  return [...table.namespace, table.name].join('.');
}
