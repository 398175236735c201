"""PyIceberg: rows through Arrow, its own count, and how many files it plans."""

import pyiceberg
from arrow import rows
from connection import answer, pyiceberg_catalog
from literal import value
from pyiceberg.expressions import AlwaysTrue, EqualTo, GreaterThanOrEqual, In, IsNull, LessThan, NotNull, StartsWith


def main(request):
    if request["do"] == "version":
        return pyiceberg.__version__
    scan = table(request).scan(
        row_filter=expression(request.get("where")), selected_fields=tuple(request.get("select") or ("*",))
    )
    match request["do"]:
        case "rows":
            return rows(scan.to_arrow())
        case "count":
            return scan.count()
        case "plan":
            return sum(1 for _ in scan.plan_files())


def table(request):
    return pyiceberg_catalog(request["catalog"]).load_table((*request["namespace"], request["name"]))


def expression(where):
    """The predicate as PyIceberg's own; timestamps and dates as text, which it reads to nanoseconds."""
    if where is None:
        return AlwaysTrue()
    column, kind = where["column"], where["type"]
    read = (lambda each: each) if kind.startswith(("timestamp", "date", "time")) else (lambda each: value(each, kind))
    match where["op"]:
        case "=":
            return EqualTo(column, read(where["value"]))
        case "<":
            return LessThan(column, read(where["value"]))
        case ">=":
            return GreaterThanOrEqual(column, read(where["value"]))
        case "in":
            return In(column, {read(each) for each in where["values"]})
        case "is null":
            return IsNull(column)
        case "is not null":
            return NotNull(column)
        case "starts with":
            return StartsWith(column, where["value"])


if __name__ == "__main__":
    answer(main)
