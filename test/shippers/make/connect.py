"""python connect.py FOLDER: one flat record type as the other systems' files have it, shaped by hand with PyArrow 26.

No field IDs; millisecond timestamps where the system's documentation has them (Kafka Connect's logical type Timestamp), INT96 where
the system writes Hive's (Firehose, Flink)."""

import datetime
import os
import sys

import pyarrow as pa
import pyarrow.parquet as pq

at = datetime.datetime(2026, 1, 1, 10, tzinfo=datetime.timezone.utc)
columns = {"id": pa.array([1, 2], pa.int64()), "name": pa.array(["a", None])}
keys = {
    "kafka-connect": "topics/orders/partition=0/orders+0+0000000000.snappy.parquet",
    "aiven": "orders-0-12",
    "firehose": "orders/2026/01/01/10/orders-1-2026-01-01-10-00-05-0b8e1f0a-6d8e-4f0c-9a39-6a1f2f1c9d11.parquet",
    "flink": "orders/2026-01-01--10/part-3f2a1c9e-0a55-4a4f-8f0b-7d4a7b7d5c11-0.parquet",
    "vector": "orders/date=2026-01-01/1767261605-0b8e1f0a-6d8e-4f0c-9a39-6a1f2f1c9d11.parquet",
    "fluent-bit": "fluent-bit-logs/orders/2026/01/01/10-00-05-Ab12Cd34.parquet",
}
times = {"kafka-connect": pa.timestamp("ms", "UTC"), "firehose": pa.timestamp("ns"), "flink": pa.timestamp("ns")}
for system, key in keys.items():
    time = pa.array([at, at], times.get(system, pa.timestamp("us", "UTC")))
    path = f"{sys.argv[1]}/{system}/{key}"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    pq.write_table(
        pa.table(columns | {"placed": time}), path, compression="snappy", use_deprecated_int96_timestamps=system in ("firehose", "flink")
    )
