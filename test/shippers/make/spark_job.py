"""python spark_job.py FOLDER: what Spark's DataFrameWriter leaves in a folder. Run with Spark 4.1.4."""

import sys

from pyspark.sql import SparkSession

spark = (
    SparkSession.builder.master("local[1]")
    .config("spark.ui.enabled", "false")
    .config("spark.sql.session.timeZone", "UTC")
    .config("spark.driver.memory", "600m")
    .config("spark.driver.host", "127.0.0.1")
    .config("spark.driver.bindAddress", "127.0.0.1")
    .getOrCreate()
)
orders = spark.sql(
    """SELECT id, concat('n', id) AS name, CAST(id * 1.5 AS DECIMAL(9, 2)) AS price,
              TIMESTAMP '2026-01-01 10:00:00' AS placed, date_add(DATE '2026-01-01', CAST(id % 2 AS INT)) AS day
       FROM range(6)"""
).coalesce(1)
folder = sys.argv[1]
orders.write.mode("append").parquet(f"{folder}/orders_int96")
spark.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")
orders.write.mode("append").parquet(f"{folder}/orders")
orders.write.mode("append").partitionBy("day").parquet(f"{folder}/orders_by_day")
