"""Metadata tables of one table through PyIceberg: {catalog, namespace, name} -> {files: rows, manifests: rows, …}."""

from connection import answer, canonical, pyiceberg_catalog

TABLES = ("files", "manifests", "snapshots", "partitions", "entries", "refs", "history")


def inspect(request):
    table = pyiceberg_catalog(request["catalog"]).load_table((*request["namespace"], request["name"]))
    return {name: rows(getattr(table.inspect, name)()) for name in TABLES}


def rows(found):
    """Without the metrics in the columns' own types: not all of them have values in Python."""
    columns = [name for name in found.column_names if name != "readable_metrics"]
    return [canonical(row) for row in found.select(columns).to_pylist()]


if __name__ == "__main__":
    answer(inspect)
