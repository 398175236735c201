"""A Parquet file as PyArrow writes it, with field IDs: bounds of its floating point columns leave NaN out. Request {columns: [{id, name, type}], rows} -> the bytes in base64."""

import base64
import io

import pyarrow
import pyarrow.parquet
from connection import answer

TYPES = {"long": pyarrow.int64(), "float": pyarrow.float32(), "double": pyarrow.float64()}


def main(request):
    columns = request["columns"]
    fields = [
        pyarrow.field(each["name"], TYPES[each["type"]], metadata={"PARQUET:field_id": str(each["id"])}) for each in columns
    ]
    arrays = [pyarrow.array([read(row[each["name"]], each["type"]) for row in request["rows"]], TYPES[each["type"]]) for each in columns]
    file = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_arrays(arrays, schema=pyarrow.schema(fields)), file)
    return base64.b64encode(file.getvalue()).decode()


def read(value, kind):
    """As connection.py spells it."""
    if value is None:
        return None
    return int(value) if kind == "long" else float(value)


if __name__ == "__main__":
    answer(main)
