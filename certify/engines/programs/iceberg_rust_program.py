"""iceberg-rust: pyiceberg-core's table provider under DataFusion."""

import importlib.metadata

from arrow import rows
from connection import answer, pyiceberg_catalog
from datafusion import SessionContext
from pyiceberg_core.datafusion import IcebergDataFusionTable


def main(request):
    if request["do"] == "version":
        return importlib.metadata.version("pyiceberg-core")
    table = pyiceberg_catalog(request["catalog"]).load_table((*request["namespace"], request["name"]))
    store = request["catalog"]["store"]
    provider = IcebergDataFusionTable(
        identifier=[*request["namespace"], request["name"]],
        metadata_location=table.metadata_location,
        file_io_properties={
            "s3.endpoint": store["endpoint"],
            "s3.access-key-id": store["accessKeyId"],
            "s3.secret-access-key": store["secretAccessKey"],
            "s3.region": store["region"],
            "s3.path-style-access": "true",
        },
    )
    session = SessionContext()
    session.register_table("t", provider)
    where = f" WHERE {request['sql']}" if request.get("sql") else ""
    match request["do"]:
        case "rows":
            select = ", ".join(quoted(name) for name in request.get("select") or ()) or "*"
            return rows(session.sql(f"SELECT {select} FROM t{where}").to_arrow_table())
        case "count":
            return session.sql(f"SELECT COUNT(*) AS n FROM t{where}").to_arrow_table().column("n").to_pylist()[0]


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


if __name__ == "__main__":
    answer(main)
