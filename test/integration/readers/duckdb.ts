import type { Row } from './canonical.ts';
import { runPython } from './python.ts';
import type { TableRequest } from './table-request.ts';

/** A table as DuckDB sees it. */
export interface DuckDbTable {
  readonly rows: readonly Row[];
  /** `COUNT(*)`, which DuckDB answers from the manifest list where no predicate is given. */
  readonly rowCount: number;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** By path of a data file that holds rows: the elements of its Parquet schema that have a field ID. */
  readonly fileFieldIds: Readonly<
    Record<string, readonly { readonly name: string; readonly fieldId: number }[]>
  >;
}

/** Reads a table through DuckDB's Iceberg extension. @throws Error with DuckDB's own when it cannot */
export async function readWithDuckDb(request: TableRequest): Promise<DuckDbTable> {
  return (await runPython('duckdb_reader.py', request)) as DuckDbTable;
}
