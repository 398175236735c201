"""What the reader and writer programs share: a request on standard input, an exact answer on standard output.

A value in an answer is exact and spelled in one way: integers and decimals as strings of digits, floats as JSON numbers
but for "NaN", "Infinity", "-Infinity" and "-0", dates, times and timestamps in ISO 8601 with six digits ("+00:00" where
there is a zone), UUIDs and bytes as hexadecimal, maps as lists of pairs.
"""

import datetime
import decimal
import json
import math
import sys
import traceback
import uuid


def answer(program):
    """Runs program(request) -> answer for every line of JSON on standard input, until it ends; says {answer} or {error}."""
    answers, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        try:
            reply = {"answer": program(json.loads(line))}
        except Exception:
            reply = {"error": traceback.format_exc()}
        print(json.dumps(reply, allow_nan=False), file=answers, flush=True)


def pyiceberg_catalog(catalog):
    from pyiceberg.catalog import load_catalog

    return load_catalog(
        "tests",
        **{
            "type": "rest",
            "uri": catalog["uri"],
            **file_io(catalog),
            # It reads with the tests' own keys; those that a catalog hands out end at the table's location.
            "header.X-Iceberg-Access-Delegation": "",
            **{name: catalog[name] for name in ("warehouse", "token") if catalog.get(name)},
        },
    )


def file_io(catalog):
    if "storageEndpoint" in catalog:
        # An emulator of Cloud Storage takes any token.
        return {
            "gcs.service.host": catalog["storageEndpoint"],
            "gcs.oauth2.token": "any",
            "gcs.oauth2.token-expires-at": "4102444800000",
        }
    store = catalog["store"]
    return {
        "s3.endpoint": store["endpoint"],
        "s3.access-key-id": store["accessKeyId"],
        "s3.secret-access-key": store["secretAccessKey"],
        "s3.region": store["region"],
        "s3.force-virtual-addressing": False,
    }


def canonical(value):
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if math.isnan(value):
            return "NaN"
        if math.isinf(value):
            return "Infinity" if value > 0 else "-Infinity"
        return "-0" if value == 0 and math.copysign(1, value) < 0 else value
    if isinstance(value, decimal.Decimal):
        return format(value, "f")
    if isinstance(value, datetime.datetime):
        utc = value if value.tzinfo is None else value.astimezone(datetime.timezone.utc)
        return utc.isoformat(timespec="microseconds")
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, datetime.time):
        return value.isoformat(timespec="microseconds")
    if isinstance(value, uuid.UUID):
        return value.hex
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value).hex()
    if isinstance(value, dict):
        return {name: canonical(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [canonical(each) for each in value]
    raise TypeError(f"no canonical form for {type(value)}")
