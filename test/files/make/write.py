"""`write`: rows.ndjson through pyarrow and DuckDB. `expect`: a .json for every file, expected.json with the sizes and offsets that pyarrow reads."""
import datetime, decimal, json, pathlib, sys
import duckdb, pyarrow as pa, pyarrow.parquet as pq

here = pathlib.Path(__file__).parent
out = here.parent
rows = [json.loads(line) for line in (here / 'rows.ndjson').open()]


def field(id, name, type, required=False):
    return pa.field(name, type, nullable=not required, metadata={'PARQUET:field_id': str(id)})


schema = pa.schema([
    field(1, 'id', pa.int64(), True),
    field(2, 'name', pa.string()),
    field(3, 'price', pa.decimal128(9, 2)),
    field(4, 'at', pa.timestamp('us', tz='UTC')),
    field(5, 'day', pa.date32()),
    field(6, 'ok', pa.bool_()),
    field(7, 'ratio', pa.float64()),
    field(8, 'raw', pa.binary()),
    field(9, 'code', pa.binary(3)),
    field(10, 'place', pa.struct([field(11, 'city', pa.string()), field(12, 'zip', pa.int32())])),
    field(13, 'tags', pa.list_(field(14, 'element', pa.string()))),
    field(15, 'attrs', pa.map_(field(16, 'key', pa.string(), True), field(17, 'value', pa.int64()))),
])
convert = {
    'price': decimal.Decimal,
    'at': datetime.datetime.fromisoformat,
    'day': datetime.date.fromisoformat,
    'raw': bytes.fromhex,
    'code': bytes.fromhex,
    'attrs': lambda attrs: list(attrs.items()),
}
same = lambda value: value
column = lambda name: [None if row[name] is None else convert.get(name, same)(row[name]) for row in rows]
rows_table = pa.Table.from_arrays([pa.array(column(f.name), type=f.type) for f in schema], schema=schema)

if sys.argv[1] == 'write':
    pq.write_table(rows_table, out / 'pyarrow.parquet', row_group_size=2, store_schema=False)

    # DuckDB has no required and no fixed-length columns, and no row groups of two rows.
    ids = '{id: 1, name: 2, price: 3, "at": 4, "day": 5, ok: 6, ratio: 7, raw: 8, code: 9, ' \
          'place: {__duckdb_field_id: 10, city: 11, zip: 12}, tags: {__duckdb_field_id: 13, element: 14}, ' \
          'attrs: {__duckdb_field_id: 15, key: 16, value: 17}}'
    duckdb.sql(f"copy (from rows_table) to '{out}/duckdb.parquet' (format parquet, field_ids {ids})")
else:
    leaf_ids = [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 14, 16, 17]
    for file in out.glob('*.parquet'):
        expected = json.loads((here / 'expected.json').read_text())
        if file.stem == 'duckdb':
            expected['schema']['fields'][0]['required'] = False
            expected['schema']['fields'][8]['type'] = 'binary'
        meta = pq.ParquetFile(file).metadata
        groups = [[meta.row_group(g).column(i) for i in range(meta.num_columns)] for g in range(meta.num_row_groups)]
        expected['fileSizeInBytes'] = file.stat().st_size
        expected['columnSizes'] = {id: sum(group[i].total_compressed_size for group in groups)
                                   for i, id in enumerate(leaf_ids)}
        expected['splitOffsets'] = [min(c.dictionary_page_offset or c.data_page_offset for c in group) for group in groups]
        file.with_suffix('.json').write_text(json.dumps(expected, indent=1) + '\n')
