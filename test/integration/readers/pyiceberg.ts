import type { Schema } from '../../../lib/spec/schema.ts';
import type { Row } from './canonical.ts';
import { runPython } from './python.ts';
import type { TableRequest } from './table-request.ts';

/** A table as PyIceberg sees it. 64-bit numbers are text; bounds are hexadecimal; maps go by field ID. */
export interface PyIcebergTable {
  readonly rows: readonly Row[];
  /** `count()`, which sums the manifests' record counts. */
  readonly rowCount: number;
  /** The schema of the rows, with its field IDs. */
  readonly schema: Schema;
  readonly metadata: {
    readonly uuid: string;
    readonly location: string;
    readonly metadataLocation: string;
    readonly formatVersion: number;
    readonly lastColumnId: number;
    readonly schemaIds: readonly number[];
    readonly properties: Readonly<Record<string, string>>;
  };
  readonly snapshots: readonly {
    readonly snapshotId: string;
    readonly parentId: string | null;
    readonly sequenceNumber: string;
    readonly timestampMs: number;
    readonly schemaId: number | null;
    readonly summary: Readonly<Record<string, string>>;
  }[];
  readonly currentSnapshotId: string | null;
  /** Live files, delete files too. */
  readonly dataFiles: readonly PyIcebergDataFile[];
}

export interface PyIcebergDataFile {
  readonly path: string;
  readonly content: 'data' | 'position_deletes' | 'equality_deletes';
  readonly specId: number;
  readonly partition: Row[string];
  readonly recordCount: string;
  readonly sizeBytes: string;
  readonly sequenceNumber: string;
  readonly columnSizes: Readonly<Record<string, string>>;
  readonly valueCounts: Readonly<Record<string, string>>;
  readonly nullValueCounts: Readonly<Record<string, string>>;
  readonly nanValueCounts: Readonly<Record<string, string>>;
  readonly lowerBounds: Readonly<Record<string, string>>;
  readonly upperBounds: Readonly<Record<string, string>>;
  readonly splitOffsets: readonly string[];
}

/** Reads a table through PyIceberg. @throws Error with PyIceberg's own when it cannot */
export async function readWithPyIceberg(request: TableRequest): Promise<PyIcebergTable> {
  return (await runPython('pyiceberg_reader.py', request)) as PyIcebergTable;
}
