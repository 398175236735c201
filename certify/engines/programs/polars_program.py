"""Polars with its native reader: PyIceberg plans, Polars decodes and filters."""

import polars
from arrow import rows
from connection import answer, pyiceberg_catalog
from literal import value


def main(request):
    if request["do"] == "version":
        return polars.__version__
    table = pyiceberg_catalog(request["catalog"]).load_table((*request["namespace"], request["name"]))
    store = request["catalog"]["store"]
    frame = polars.scan_iceberg(
        table,
        reader_override="native",
        storage_options={
            "aws_endpoint_url": store["endpoint"],
            "aws_access_key_id": store["accessKeyId"],
            "aws_secret_access_key": store["secretAccessKey"],
            "aws_region": store["region"],
            "aws_allow_http": "true",
        },
    )
    if request.get("where"):
        frame = frame.filter(expression(request["where"]))
    match request["do"]:
        case "rows":
            if request.get("select"):
                frame = frame.select(request["select"])
            return rows(frame.collect().to_arrow())
        case "count":
            return frame.select(polars.len()).collect().item()


def expression(where):
    column, kind = polars.col(where["column"]), where["type"]
    match where["op"]:
        case "=":
            return column == literal(where["value"], kind)
        case "<":
            return column < literal(where["value"], kind)
        case ">=":
            return column >= literal(where["value"], kind)
        case "in":
            return column.is_in(series(where["values"], kind))
        case "is null":
            return column.is_null()
        case "is not null":
            return column.is_not_null()
        case "starts with":
            return column.str.starts_with(where["value"])


def literal(text, kind):
    return polars.lit(series([text], kind)[0]) if not kind.endswith("_ns") else polars.lit(text).str.to_datetime(time_unit="ns")


def series(texts, kind):
    if kind.endswith("_ns"):
        return polars.Series(texts).str.to_datetime(time_unit="ns")
    if kind == "uuid":
        return [bytes.fromhex(text) for text in texts]
    return [value(text, kind) for text in texts]


if __name__ == "__main__":
    answer(main)
