"""Arrow tables as canonical rows (connection.py), nanoseconds included: nine digits where six do not say all."""

import datetime

import pyarrow
from connection import canonical


def rows(table):
    names = table.column_names
    columns = [values(table.column(index)) for index in range(table.num_columns)]
    return [dict(zip(names, row)) for row in zip(*columns)]


def values(column):
    kind = column.type
    if pyarrow.types.is_timestamp(kind) and kind.unit == "ns":
        return [nanos(value, kind.tz) for value in column.cast(pyarrow.int64()).to_pylist()]
    if pyarrow.types.is_time64(kind) and kind.unit == "ns":
        column = column.cast(pyarrow.time64("us"))
    return [canonical(value) for value in column.to_pylist()]


def nanos(value, zone):
    if value is None:
        return None
    micros, rest = divmod(value, 1000)
    moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(microseconds=micros)
    text = moment.isoformat(timespec="microseconds")
    return text + (f"{rest:03}" if rest else "") + ("+00:00" if zone else "")
