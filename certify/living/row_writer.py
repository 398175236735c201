"""Appends rows through PyIceberg or DuckDB: request {engine, catalog, namespace, name, rows: [{seq, device, measured_at, reading}]}.

The answer is {landed}: what a commit that failed in between has done is looked up by the rows' `seq`.
"""

from connection import answer, pyiceberg_catalog

COLUMNS = ("seq", "device", "measured_at", "reading")
# DuckDB's, which lasts.
sessions = []


def write(request):
    append, count = {"pyiceberg": pyiceberg, "duckdb": duckdb}[request["engine"]](request)
    rows = [{name: row[name] for name in COLUMNS} for row in request["rows"]]
    first, last = (int(rows[at]["seq"]) for at in (0, -1))
    try:
        append(rows)
        return {"landed": True}
    except Exception as error:
        found = count(first, last)
        if found not in (0, len(rows)):
            raise RuntimeError(f"{found} of {len(rows)} rows from {first} on are there") from error
        return {"landed": found == len(rows), "error": f"{type(error).__name__}: {error}"[:300]}


def pyiceberg(request):
    import datetime

    import pyarrow

    catalog = pyiceberg_catalog(request["catalog"])
    identifier = (*request["namespace"], request["name"])

    def append(rows):
        table = catalog.load_table(identifier)
        wanted = table.schema().as_arrow()
        epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
        values = [
            {
                "seq": int(row["seq"]),
                "device": row["device"],
                "measured_at": epoch + datetime.timedelta(microseconds=int(row["measured_at"])),
                "reading": None if row["reading"] is None else int(row["reading"]),
            }
            for row in rows
        ]
        table.append(pyarrow.Table.from_pylist(values, schema=pyarrow.schema([wanted.field(name) for name in COLUMNS])))

    def count(first, last):
        scan = catalog.load_table(identifier).scan(row_filter=f"seq >= {first} and seq <= {last}", selected_fields=("seq",))
        return scan.to_arrow().num_rows

    return append, count


def duckdb(request):
    from duckdb_reader import connect

    table = f"ice.\"{'.'.join(request['namespace'])}\".\"{request['name']}\""
    if not sessions:
        sessions.append(connect(request["catalog"]))
    (session,) = sessions

    def append(rows):
        values = ", ".join(
            f"({row['seq']}, '{row['device']}', make_timestamptz({row['measured_at']}), {row['reading'] or 'NULL'})"
            for row in rows
        )
        session.execute(f"INSERT INTO {table} ({', '.join(COLUMNS)}) VALUES {values}")

    def count(first, last):
        return session.execute(f"SELECT count(*) FROM {table} WHERE seq BETWEEN {first} AND {last}").fetchone()[0]

    return append, count


if __name__ == "__main__":
    answer(write)
