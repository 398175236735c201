"""Appends rows through PyIceberg or DuckDB: request {engine, catalog, namespace, name, rows: [{seq, device, measured_at, reading}]}.

The answer is {landed}: what a commit that failed in between has done is looked up by the rows' `seq`, by PyIceberg, which loads the table for it.
"""

from connection import answer, pyiceberg_catalog

COLUMNS = ("seq", "device", "measured_at", "reading")
# DuckDB's, which lasts.
sessions = []


def write(request):
    append = {"pyiceberg": pyiceberg, "duckdb": duckdb}[request["engine"]]
    rows = [{name: row[name] for name in COLUMNS} for row in request["rows"]]
    first, last = (int(rows[at]["seq"]) for at in (0, -1))
    try:
        append(request, rows)
        return {"landed": True}
    except Exception as error:
        found = count(request, first, last)
        if found not in (0, len(rows)):
            raise RuntimeError(f"{found} of {len(rows)} rows from {first} on are there") from error
        return {"landed": found == len(rows), "error": f"{type(error).__name__}: {error}"[:300]}


def pyiceberg(request, rows):
    import datetime

    import pyarrow

    table = load(request)
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


def duckdb(request, rows):
    from duckdb_reader import connect

    if not sessions:
        # Apache's fixture says 200 to a commit of several tables, and drops it, when a table has changed since it was loaded: the retry of
        # `BaseTransaction` starts from the changed metadata without the request's updates.
        sessions.append(connect(request["catalog"], "DISABLE_MULTI_TABLE_COMMIT true"))
    values = ", ".join(
        f"({row['seq']}, '{row['device']}', make_timestamptz({row['measured_at']}), {row['reading'] or 'NULL'})" for row in rows
    )
    table = f"ice.\"{'.'.join(request['namespace'])}\".\"{request['name']}\""
    try:
        sessions[0].execute(f"INSERT INTO {table} ({', '.join(COLUMNS)}) VALUES {values}")
    except Exception:
        sessions.pop().close()
        raise


def count(request, first, last):
    scan = load(request).scan(row_filter=f"seq >= {first} and seq <= {last}", selected_fields=("seq",))
    return scan.to_arrow().num_rows


def load(request):
    return pyiceberg_catalog(request["catalog"]).load_table((*request["namespace"], request["name"]))


if __name__ == "__main__":
    answer(write)
