"""DuckDB and its own Iceberg extension, from what is installed."""

import duckdb
from arrow import rows
from connection import answer
from duckdb_reader import connect, quoted

connections = []


def main(request):
    if request["do"] == "version":
        return duckdb.__version__
    if not connections:
        connections.append(connect(request["catalog"]))
    try:
        return ask(connections[0], request)
    except duckdb.Error:
        # What has failed may have left the connection's transaction aborted.
        connections.pop().close()
        raise


def ask(connection, request):
    source = ".".join(quoted(name) for name in ("ice", ".".join(request["namespace"]), request["name"]))
    where = f" WHERE {request['sql']}" if request.get("sql") else ""
    match request["do"]:
        case "rows":
            select = ", ".join(quoted(name) for name in request.get("select") or ()) or "*"
            return rows(connection.sql(f"SELECT {select} FROM {source}{where}").to_arrow_table())
        case "count":
            # All of it: what is left of a result keeps its transaction open, and the next statement in it.
            return connection.execute(f"SELECT COUNT(*) FROM {source}{where}").fetchall()[0][0]
        case "execute":
            connection.execute(request["sql"].replace("{table}", source))


if __name__ == "__main__":
    answer(main)
