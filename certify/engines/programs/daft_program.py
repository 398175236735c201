"""Daft: PyIceberg plans, Daft decodes and filters."""

import datetime

import daft
from arrow import rows
from connection import answer, pyiceberg_catalog
from daft.io import IOConfig, S3Config
from literal import value


def main(request):
    if request["do"] == "version":
        return daft.__version__
    table = pyiceberg_catalog(request["catalog"]).load_table((*request["namespace"], request["name"]))
    store = request["catalog"]["store"]
    config = S3Config(
        endpoint_url=store["endpoint"],
        key_id=store["accessKeyId"],
        access_key=store["secretAccessKey"],
        region_name=store["region"],
        force_virtual_addressing=False,
    )
    frame = daft.read_iceberg(table, io_config=IOConfig(s3=config))
    if request.get("where"):
        frame = frame.where(expression(request["where"]))
    match request["do"]:
        case "rows":
            if request.get("select"):
                frame = frame.select(*request["select"])
            return rows(frame.to_arrow())
        case "count":
            return frame.count_rows()


def expression(where):
    column = daft.col(where["column"])
    read = lambda each: literal(each, where["type"])
    match where["op"]:
        case "=":
            return column == read(where["value"])
        case "<":
            return column < read(where["value"])
        case ">=":
            return column >= read(where["value"])
        case "in":
            return column.is_in([read(each) for each in where["values"]])
        case "is null":
            return column.is_null()
        case "is not null":
            return column.not_null()
        case "starts with":
            return column.startswith(where["value"])


def literal(text, kind):
    """Of the column's own type: Daft compares no other with it."""
    if kind.endswith("_ns"):
        moment = datetime.datetime.fromisoformat(text.removesuffix("+00:00"))
        return daft.lit(moment).cast(daft.DataType.timestamp("ns"))
    if kind.startswith("fixed"):
        size = int(kind.removeprefix("fixed[").removesuffix("]"))
        return daft.lit(value(text, kind)).cast(daft.DataType.fixed_size_binary(size))
    return daft.lit(value(text, kind))


if __name__ == "__main__":
    answer(main)
