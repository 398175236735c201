"""python debezium.py FOLDER: change events in Debezium's envelope, as a Kafka Connect sink writes them. Shaped by hand with PyArrow 26."""

import os
import sys

import pyarrow as pa
import pyarrow.parquet as pq

row = pa.struct([pa.field("id", pa.int64(), nullable=False), pa.field("name", pa.string())])
source = pa.struct([pa.field("version", pa.string()), pa.field("table", pa.string()), pa.field("lsn", pa.int64())])
first, second = {"id": 1, "name": "a"}, {"id": 1, "name": "b"}
events = pa.table(
    {
        "before": pa.array([None, first, second], row),
        "after": pa.array([first, second, None], row),
        "source": pa.array([{"version": "3.2.0.Final", "table": "orders", "lsn": lsn} for lsn in (7, 8, 9)], source),
        "op": pa.array(["c", "u", "d"]),
        "ts_ms": pa.array([1767225600000, 1767225601000, 1767225602000], pa.int64()),
    }
)
folder = f"{sys.argv[1]}/topics/shop.public.orders/partition=0"
os.makedirs(folder, exist_ok=True)
pq.write_table(events, f"{folder}/shop.public.orders+0+0000000000.snappy.parquet", compression="snappy")
