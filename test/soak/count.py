"""Counts the rows of a table through PyIceberg or DuckDB: request {engine, catalog, namespace, name}, answer {rows, distinct, checksum}."""

import hashlib

from connection import answer, pyiceberg_catalog

TEXT = """concat_ws('|', seq, device, epoch_us(measured_at), coalesce(reading::VARCHAR, '~'), coalesce(remark, '~'),
    coalesce(level::VARCHAR, '~'), coalesce(firmware.version, '~'), coalesce(firmware.channel, '~'))"""


def main(request):
    count = {"pyiceberg": with_pyiceberg, "duckdb": with_duckdb}[request["engine"]]
    return count(request["catalog"], request["namespace"], request["name"])


def with_duckdb(catalog, namespace, name):
    from duckdb_reader import connect

    rows, distinct, checksum = (
        connect(catalog)
        .execute(
            f"""SELECT count(seq), count(DISTINCT seq), sum(('0x' || substr(md5({TEXT}), 1, 8))::UBIGINT)
            FROM ice."{".".join(namespace)}"."{name}" """
        )
        .fetchone()
    )
    return {"rows": rows, "distinct": distinct, "checksum": str(checksum or 0)}


def with_pyiceberg(catalog, namespace, name):
    rows = pyiceberg_catalog(catalog).load_table((*namespace, name)).scan().to_arrow().to_pylist()
    return {
        "rows": len(rows),
        "distinct": len({row["seq"] for row in rows}),
        "checksum": str(sum(head(text(row)) for row in rows)),
    }


def text(row):
    at, firmware = row["measured_at"], row["firmware"] or {}
    micros = int(at.timestamp()) * 1_000_000 + at.microsecond
    values = (row["seq"], row["device"], micros, row["reading"], row["remark"], row["level"])
    parts = (*values, firmware.get("version"), firmware.get("channel"))
    return "|".join("~" if part is None else str(part) for part in parts)


def head(line):
    return int(hashlib.md5(line.encode()).hexdigest()[:8], 16)


if __name__ == "__main__":
    answer(main)
