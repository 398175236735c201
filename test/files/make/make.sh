#!/bin/sh
# Writes the golden files again: needs python with pyarrow 26 and duckdb 2, cargo, go, and a JDK with the jars of iceberg-parquet 1.12.0
# and hadoop-client 3.4.2 in $JARS. The rows are in rows.ndjson; expected.json is by hand.
set -eu
cd "$(dirname "$0")"
python3 write.py write
(cd rust && cargo run --quiet)
(cd go && go run .)
(cd java && java -cp "$JARS/*" WriteRows.java)
node write-hyparquet.ts
python3 write.py expect
