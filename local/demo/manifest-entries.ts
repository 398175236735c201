import type { Engine } from './engine.ts';
import { avroFilesSql, type Lake } from './lake.ts';

/** A live data file in the manifests of a snapshot, read by the engine instead of this project's own reader. */
export interface LiveFile {
  readonly uri: string;
  readonly rows: number;
  readonly sizeBytes: number;
  readonly valueCounts: ReadonlyMap<number, number>;
  readonly nullCounts: ReadonlyMap<number, number>;
  readonly lowerBounds: ReadonlyMap<number, Uint8Array>;
  readonly upperBounds: ReadonlyMap<number, Uint8Array>;
}

/** Every live data file of a snapshot in undefined order, with duplicates. */
export async function liveFiles(
  engine: Engine,
  lake: Lake,
  manifestList: string,
): Promise<readonly LiveFile[]> {
  const manifests = await engine.query(`SELECT manifest_path FROM ${avroFilesSql(lake, [manifestList])}`);
  const rows = await engine.query(
    `SELECT ${fileColumns.join(', ')} FROM ${avroFilesSql(lake, manifests.flat())} WHERE status != 2`,
  );
  return rows.map(([uri = '', records, size, values = '[]', nulls = '[]', lower = '[]', upper = '[]']) => ({
    uri,
    rows: Number(records),
    sizeBytes: Number(size),
    valueCounts: byId(values, Number),
    nullCounts: byId(nulls, Number),
    lowerBounds: byId(lower, (hex) => Buffer.from(hex, 'hex')),
    upperBounds: byId(upper, (hex) => Buffer.from(hex, 'hex')),
  }));
}

const dataFile = (field: string): string => `tupleElement(data_file, '${field}')`;
const byFieldId = (field: string, value: string): string =>
  `toJSONString(arrayMap(entry -> (entry.1, ${value}), ${dataFile(field)}))`;
const fileColumns = [
  dataFile('file_path'),
  `toString(${dataFile('record_count')})`,
  `toString(${dataFile('file_size_in_bytes')})`,
  byFieldId('value_counts', 'toString(entry.2)'),
  byFieldId('null_value_counts', 'toString(entry.2)'),
  byFieldId('lower_bounds', 'hex(entry.2)'),
  byFieldId('upper_bounds', 'hex(entry.2)'),
];

function byId<T>(json: string, read: (text: string) => T): ReadonlyMap<number, T> {
  return new Map((JSON.parse(json) as [number, string][]).map(([id, text]) => [id, read(text)]));
}
