import { parseJson } from '../../lib/spec/json.ts';
import type { Schema } from '../../lib/spec/schema.ts';
import { formatIdentifier, type TableIdentifier } from '../../lib/spec/table-identifier.ts';
import type { Stack } from '../stack.ts';
import { quoteName, quoteText } from './canonical-sql.ts';
import type { Engine } from './engine.ts';

/** The addresses of the tables and their catalog, for an external engine. */
export interface Lake {
  /** Without `/v1`. */
  readonly catalogUri: string;
  readonly s3Endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** The lake of an embedded stack whose tables are in this bucket. */
export function lakeOf(
  {
    catalogUri,
    s3Endpoint,
    region,
    credentials,
  }: Pick<Stack, 'catalogUri' | 's3Endpoint' | 'region' | 'credentials'>,
  bucket: string,
): Lake {
  return { catalogUri, s3Endpoint, region, bucket, ...credentials };
}

/** The parts of table metadata that the demo reads. */
export interface Metadata {
  readonly 'current-snapshot-id'?: bigint | number | null;
  readonly 'current-schema-id': number;
  readonly schemas: readonly Schema[];
  readonly snapshots?: readonly MetadataSnapshot[];
}

export interface MetadataSnapshot {
  readonly 'snapshot-id': bigint | number;
  readonly 'parent-snapshot-id'?: bigint | number | null;
  readonly 'manifest-list': string;
  readonly 'schema-id'?: number;
  readonly summary: Readonly<Record<string, string>>;
}

/** Loads a table from the catalog with plain `fetch`; undefined when there is none. */
export async function loadMetadata(lake: Lake, table: TableIdentifier): Promise<Metadata | undefined> {
  const namespace = encodeURIComponent(table.namespace.join('\u001f'));
  const url = `${lake.catalogUri}/v1/namespaces/${namespace}/tables/${encodeURIComponent(table.name)}`;
  const response = await fetch(url);
  if (response.status === 404) return undefined;
  if (!response.ok)
    throw new Error(`Cannot load "${formatIdentifier(table)}": the catalog answers ${response.status}`);
  return (parseJson(await response.text()) as { metadata: Metadata }).metadata;
}

/** The snapshot of `main`; undefined in a table without snapshots. */
export function currentSnapshot(metadata: Metadata): MetadataSnapshot | undefined {
  const current = metadata['current-snapshot-id'];
  return metadata.snapshots?.find(
    (snapshot) => current != null && BigInt(snapshot['snapshot-id']) === BigInt(current),
  );
}

/** The number of data files of a table, from its current snapshot's summary. */
export function dataFileCount(metadata: Metadata | undefined): number {
  return Number((metadata && currentSnapshot(metadata))?.summary['total-data-files'] ?? 0);
}

/** Attaches the catalog to the engine as `lake`. */
export async function attachCatalog(engine: Engine, lake: Lake): Promise<void> {
  await engine.query('SET allow_experimental_database_iceberg = 1');
  const [uri, accessKey, secret, endpoint] = [
    `${lake.catalogUri}/v1`,
    lake.accessKeyId,
    lake.secretAccessKey,
    `${lake.s3Endpoint}/${lake.bucket}`,
  ].map(quoteText);
  await engine.query(
    `CREATE DATABASE IF NOT EXISTS lake ENGINE = DataLakeCatalog(${uri}, ${accessKey}, ${secret})
     SETTINGS catalog_type = 'rest', storage_endpoint = ${endpoint}, warehouse = ${quoteText(lake.bucket)}, vended_credentials = false`,
  );
}

/** A table in ClickHouse SQL, once the catalog is attached. */
export function tableSql(table: TableIdentifier): string {
  return `lake.${quoteName(formatIdentifier(table))}`;
}

/** Avro files of the lake in ClickHouse SQL; `uris` are `s3://bucket/key`. */
export function avroFilesSql(lake: Lake, uris: readonly string[]): string {
  const keys = uris.map((uri) => uri.slice(`s3://${lake.bucket}/`.length));
  const [url, accessKey, secret] = [
    `${lake.s3Endpoint}/${lake.bucket}/{${keys.join(',')}}`,
    lake.accessKeyId,
    lake.secretAccessKey,
  ].map(quoteText);
  return `s3(${url}, ${accessKey}, ${secret}, 'Avro')`;
}
