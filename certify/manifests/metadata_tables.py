"""Metadata tables of one table through PyIceberg: {catalog, namespace, name} -> {files: rows, manifests: rows, …}."""

from connection import answer, canonical, pyiceberg_catalog

TABLES = ("files", "manifests", "snapshots", "partitions", "entries", "refs", "history")


def inspect(request):
    table = pyiceberg_catalog(request["catalog"]).load_table((*request["namespace"], request["name"]))
    return {name: [canonical(row) for row in getattr(table.inspect, name)().to_pylist()] for name in TABLES}


if __name__ == "__main__":
    answer(inspect)
