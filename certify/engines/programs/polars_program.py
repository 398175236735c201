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
            return column.is_in([value(each, kind) for each in where["values"]])
        case "is null":
            return column.is_null()
        case "is not null":
            return column.is_not_null()
        case "starts with":
            return column.str.starts_with(where["value"])


def literal(text, kind):
    if kind.startswith("timestamp") and kind.endswith("_ns"):
        zone = "UTC" if "tz" in kind else None
        return polars.lit(text.removesuffix("+00:00")).str.to_datetime(time_unit="ns", time_zone=zone)
    if kind == "uuid":
        return polars.lit(bytes.fromhex(text))
    return polars.lit(value(text, kind))


if __name__ == "__main__":
    answer(main)
