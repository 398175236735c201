"""Predicates, as predicate.ts has them, in the terms of a Python engine."""

import datetime
import decimal
import re
import uuid


def value(text, kind):
    """A canonical value of an Iceberg primitive type, as Python has it."""
    if isinstance(text, bool):
        return text
    if kind in ("int", "long"):
        return int(text)
    if kind in ("float", "double"):
        return float(text)
    if kind.startswith("decimal"):
        return decimal.Decimal(text)
    if kind == "date":
        return datetime.date.fromisoformat(text)
    if kind == "time":
        return datetime.time.fromisoformat(text)
    if re.match("timestamp(tz)?$", kind):
        return datetime.datetime.fromisoformat(text)
    if kind == "uuid":
        return uuid.UUID(text)
    if kind == "binary" or kind.startswith("fixed"):
        return bytes.fromhex(text)
    return text
