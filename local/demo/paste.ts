import { formatIdentifier, type TableIdentifier } from '../../lib/spec/table-identifier.ts';
import type { Lake } from './lake.ts';

/** A text to paste into an engine to read a table of a running demo. */
export interface Paste {
  readonly engine: 'PyIceberg' | 'DuckDB' | 'Spark';
  /** The prerequisites. */
  readonly needs: string;
  readonly text: string;
}

/** The shortest text for each engine that reads `table` through the catalog. */
export function pastes(lake: Lake, table: TableIdentifier): readonly Paste[] {
  const name = formatIdentifier(table);
  return [
    {
      engine: 'PyIceberg',
      needs: "pip install 'pyiceberg[pyarrow]'",
      text: `from pyiceberg.catalog import load_catalog
catalog = load_catalog("demo", type="rest", uri="${lake.catalogUri}", **{
    "s3.endpoint": "${lake.s3Endpoint}", "s3.region": "${lake.region}",
    "s3.access-key-id": "${lake.accessKeyId}", "s3.secret-access-key": "${lake.secretAccessKey}"})
print(catalog.load_table("${name}").scan(limit=5).to_arrow().to_pylist())`,
    },
    {
      engine: 'DuckDB',
      needs: 'duckdb 1.4 or newer',
      text: `INSTALL iceberg; LOAD iceberg; INSTALL httpfs; LOAD httpfs;
CREATE SECRET demo (TYPE s3, KEY_ID '${lake.accessKeyId}', SECRET '${lake.secretAccessKey}', REGION '${lake.region}',
  ENDPOINT '${lake.s3Endpoint.replace(/^https?:\/\//, '')}', URL_STYLE 'path', USE_SSL false);
ATTACH '' AS demo (TYPE iceberg, ENDPOINT '${lake.catalogUri}', AUTHORIZATION_TYPE 'none', ACCESS_DELEGATION_MODE 'none');
SELECT * FROM demo.${name} LIMIT 5;`,
    },
    {
      engine: 'Spark',
      needs: 'Spark 4.1 and Java 17',
      text: `spark-sql --packages org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0,org.apache.iceberg:iceberg-aws-bundle:1.12.0 \\
  --conf spark.sql.catalog.demo=org.apache.iceberg.spark.SparkCatalog --conf spark.sql.catalog.demo.type=rest \\
  --conf spark.sql.catalog.demo.uri=${lake.catalogUri} --conf spark.sql.catalog.demo.io-impl=org.apache.iceberg.aws.s3.S3FileIO \\
  --conf spark.sql.catalog.demo.s3.endpoint=${lake.s3Endpoint} --conf spark.sql.catalog.demo.s3.path-style-access=true \\
  --conf spark.sql.catalog.demo.s3.access-key-id=${lake.accessKeyId} --conf spark.sql.catalog.demo.s3.secret-access-key=${lake.secretAccessKey} \\
  --conf spark.sql.catalog.demo.client.region=${lake.region} -e 'SELECT * FROM demo.${name} LIMIT 5'`,
    },
  ];
}
