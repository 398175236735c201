"""Files of which a reader may doubt whether Iceberg reads them as they lie. In: {}. Out: their bytes in base64, as JSON."""
import base64, datetime, io, json, sys
import pyarrow as pa, pyarrow.parquet as pq


def file(type, values, **options):
    sink = io.BytesIO()
    fields = [pa.field('id', pa.int64(), metadata={'PARQUET:field_id': '1'}), pa.field('v', type, metadata={'PARQUET:field_id': '2'})]
    pq.write_table(pa.table([pa.array(range(len(values)), pa.int64()), pa.array(values, type)], schema=pa.schema(fields)), sink, **options)
    return base64.b64encode(sink.getvalue()).decode()


json.load(sys.stdin)
moments = [datetime.datetime(1969, 12, 31, 23, 59, 59, 999999), None, datetime.datetime(2262, 4, 10, 1, 2, 3, 4)]
print(json.dumps({
    'uint32': file(pa.uint32(), [0, None, 4294967295]),
    'int96': file(pa.timestamp('us', 'UTC'), moments, use_deprecated_int96_timestamps=True),
}))
