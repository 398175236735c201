"""Reads one table through DuckDB and its own Iceberg extension, from what is installed: nothing is downloaded."""

import importlib.util
import pathlib

import duckdb
from connection import answer, canonical


def read(request):
    connection = connect(request["catalog"])
    table = ".".join(quoted(name) for name in ("ice", ".".join(request["namespace"]), request["name"]))
    if request.get("snapshotId"):
        table += f" AT (VERSION => {int(request['snapshotId'])})"
    where = f" WHERE {request['filter']}" if request.get("filter") else ""
    select = ", ".join(quoted(name) for name in request.get("select") or ()) or "*"
    result = connection.sql(f"SELECT {select} FROM {table}{where}")
    rows = [
        {name: exact(value, kind) for name, kind, value in zip(result.columns, result.types, row)}
        for row in result.fetchall()
    ]
    count = connection.execute(f"SELECT COUNT(*) FROM {table}{where}").fetchone()[0]
    return {
        "rows": rows,
        "rowCount": count,
        "columns": [{"name": name, "type": str(kind)} for name, kind in zip(result.columns, result.types)],
        "fileFieldIds": {path: field_ids(connection, path) for path in data_files(connection, table)},
    }


def connect(catalog, *options):
    """@param options Of the ATTACH statement, beside those that every test needs."""
    store = catalog["store"]
    connection = duckdb.connect()
    connection.execute("SET autoinstall_known_extensions=false; SET autoload_known_extensions=false")
    for name in ("icu", "httpfs", "avro", "iceberg"):
        connection.execute(f"LOAD '{extension(name)}'")
    connection.execute("SET TimeZone='UTC'")
    connection.execute(
        f"""CREATE SECRET (TYPE s3, KEY_ID '{store["accessKeyId"]}', SECRET '{store["secretAccessKey"]}',
        ENDPOINT '{store["endpoint"].removeprefix("http://")}', URL_STYLE 'path', USE_SSL false,
        REGION '{store["region"]}')"""
    )
    authorization = f"TOKEN '{catalog['token']}'" if catalog.get("token") else "AUTHORIZATION_TYPE 'none'"
    connection.execute(
        f"""ATTACH '{catalog.get("warehouse", "")}' AS ice (TYPE iceberg, ENDPOINT '{catalog["uri"]}', {authorization},
        {", ".join(("ACCESS_DELEGATION_MODE 'none'", *options))})"""
    )
    return connection


def extension(name):
    package = importlib.util.find_spec(f"duckdb_extension_{name}").submodule_search_locations[0]
    return next(pathlib.Path(package).rglob(f"{name}.duckdb_extension"))


def exact(value, kind):
    """DuckDB gives Python a dict for a map as for a struct: only the type tells them apart."""
    if value is None:
        return None
    children = dict(kind.children) if kind.id in ("list", "map", "struct") else {}
    match kind.id:
        case "list":
            return [exact(each, children["child"]) for each in value]
        case "map":
            return [[exact(key, children["key"]), exact(each, children["value"])] for key, each in value.items()]
        case "struct":
            return {name: exact(value[name], child) for name, child in children.items()}
        case _:
            return canonical(value)


def data_files(connection, table):
    rows = connection.execute(f"SELECT DISTINCT filename FROM (SELECT filename FROM {table})").fetchall()
    return sorted(path for (path,) in rows)


def field_ids(connection, path):
    """The field IDs inside one Parquet file, by dotted path of the schema's elements."""
    return [
        {"name": name, "fieldId": field_id}
        for name, field_id in connection.execute(
            "SELECT name, field_id FROM parquet_schema(?) WHERE field_id IS NOT NULL", [path]
        ).fetchall()
    ]


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


if __name__ == "__main__":
    answer(read)
