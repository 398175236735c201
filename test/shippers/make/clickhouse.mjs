// node clickhouse.mjs FOLDER: what ClickHouse writes with PARTITION BY. Run with chdb 3.4.0.
import { mkdirSync } from 'node:fs';
import { Session } from 'chdb';

const [folder] = process.argv.slice(2);
const session = new Session();
mkdirSync(`${folder}/orders`, { recursive: true });
session.query(
  `INSERT INTO FUNCTION file('${folder}/orders/{_partition_id}/export-1.parquet', 'Parquet',
     'id Int64, name Nullable(String), price Decimal(9, 2), placed DateTime64(6, \\'UTC\\'), shop LowCardinality(String), flags UInt32')
   PARTITION BY toYYYYMM(placed)
   SELECT number, 'n' || toString(number), number * 1.5, toDateTime64('2026-01-01 10:00:00', 6, 'UTC') + number * 2678400, 'fra', number FROM numbers(3)`,
);
session.cleanup();
