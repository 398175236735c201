"""Wrote manifest-list-CODEC.avro beside it with fastavro 1.13.1: the manifest list of Java, forty entries, in other codecs."""

import copy
import sys
import uuid

import fastavro

with open(f"{sys.argv[1]}/v2-partitioned-manifest-list.avro", "rb") as file:
    reader = fastavro.reader(file)
    schema = reader.writer_schema
    [entry] = list(reader)

entries = []
for number in range(40):
    entry = copy.deepcopy(entry)
    entry["manifest_path"] = f"s3://bucket/table/metadata/{uuid.UUID(int=number * 2**70)}-m0.avro"
    entry["added_snapshot_id"] = number * 2**57
    entries.append(entry)

for codec in ["null", "deflate", "zstandard", "snappy"]:
    with open(f"{sys.argv[1]}/manifest-list-{codec}.avro", "wb") as file:
        fastavro.writer(file, schema, entries, codec=codec, sync_marker=b"0123456789abcdef", sync_interval=8000)
