"""python duckdb_export.py FOLDER: what DuckDB's COPY writes. Run with DuckDB 1.5.5."""

import sys

import duckdb

folder = sys.argv[1]
db = duckdb.connect()
db.execute("SET TimeZone = 'UTC'")
db.execute(
    """
    CREATE TABLE orders AS
    SELECT i::BIGINT AS id, 'n' || i AS "name", (i * 1.5)::DECIMAL(9, 2) AS price,
           TIMESTAMP '2026-01-01 10:00:00' AS placed, TIMESTAMPTZ '2026-01-01 10:00:00+00' AS seen,
           DATE '2026-01-01' + (i % 2)::INT AS "day"
    FROM range(6) AS t(i)
    """
)
db.execute(f"COPY orders TO '{folder}/orders_by_day' (FORMAT parquet, PARTITION_BY (day))")
db.execute(
    f"""COPY orders TO '{folder}/orders_whole'
    (FORMAT parquet, PARTITION_BY (day), WRITE_PARTITION_COLUMNS true, FILENAME_PATTERN 'export_{{uuid}}')"""
)
