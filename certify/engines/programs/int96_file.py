"""A Parquet file with timestamps in INT96, as Spark, Hive and Impala have written them. In: {moments: ISO 8601 or null}. Out: base64."""

import base64
import datetime
import io

import pyarrow
import pyarrow.parquet
from connection import answer


def main(request):
    moments = [None if each is None else datetime.datetime.fromisoformat(each) for each in request["moments"]]
    fields = [
        pyarrow.field("seq", pyarrow.int64(), nullable=False, metadata={"PARQUET:field_id": "1"}),
        pyarrow.field("v", pyarrow.timestamp("us", "UTC"), metadata={"PARQUET:field_id": "2"}),
    ]
    columns = [pyarrow.array(range(len(moments)), pyarrow.int64()), pyarrow.array(moments, fields[1].type)]
    sink = io.BytesIO()
    table = pyarrow.table(columns, schema=pyarrow.schema(fields))
    pyarrow.parquet.write_table(table, sink, use_deprecated_int96_timestamps=True)
    return base64.b64encode(sink.getvalue()).decode()


if __name__ == "__main__":
    answer(main)
