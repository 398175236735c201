"""Changes one table through PyIceberg, step by step, as another writer would: a foreign one to the registrar.

request: {catalog, namespace, name, steps: [{"do": …, …}]}; answer: {snapshotIds: one a step, null where a step makes
none}. Values in rows are spelled as in `connection.canonical`.
"""

import datetime
import decimal
import uuid

import pyarrow
from connection import answer, pyiceberg_catalog
from pyiceberg.catalog import NoSuchTableError
from pyiceberg.schema import Schema
from pyiceberg.transforms import parse_transform
from pyiceberg.types import (
    BinaryType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
    IntegerType,
    ListType,
    LongType,
    MapType,
    NestedField,
    PrimitiveType,
    StructType,
    TimestampType,
    TimestamptzType,
    TimeType,
    UUIDType,
)
from pydantic import TypeAdapter


def write(request):
    catalog = pyiceberg_catalog(request["catalog"])
    identifier = (*request["namespace"], request["name"])
    try:
        before = current(catalog.load_table(identifier))
    except NoSuchTableError:
        before = None
    snapshot_ids = []
    for step in request["steps"]:
        STEPS[step["do"]](catalog, identifier, step)
        after = current(catalog.load_table(identifier))
        snapshot_ids.append(after if after != before else None)
        before = after
    return {"snapshotIds": snapshot_ids}


def current(table):
    snapshot = table.current_snapshot()
    return None if snapshot is None else str(snapshot.snapshot_id)


def create(catalog, identifier, step):
    """The catalog renumbers the schema's field IDs, as it does for every create request."""
    catalog.create_namespace_if_not_exists(identifier[:-1])
    catalog.create_table(identifier, Schema.model_validate(step["schema"]), properties=step.get("properties", {}))


def append(catalog, identifier, step):
    table = catalog.load_table(identifier)
    schema = table.schema()
    rows = [{field.name: typed(row.get(field.name), field.field_type) for field in schema.fields} for row in step["rows"]]
    table.append(pyarrow.Table.from_pylist(rows, schema=schema.as_arrow()), step.get("properties", {}))


def add_files(catalog, identifier, step):
    catalog.load_table(identifier).add_files(step["paths"])


def delete(catalog, identifier, step):
    catalog.load_table(identifier).delete(step["filter"])


def overwrite(catalog, identifier, step):
    """Rewrites the whole table into one new data file, as compaction does."""
    table = catalog.load_table(identifier)
    table.overwrite(table.scan().to_arrow())


def add_column(catalog, identifier, step):
    with catalog.load_table(identifier).update_schema() as update:
        update.add_column(path(step), iceberg_type(step["type"]))


def rename_column(catalog, identifier, step):
    with catalog.load_table(identifier).update_schema() as update:
        update.rename_column(path(step), step["to"])


def promote_column(catalog, identifier, step):
    with catalog.load_table(identifier).update_schema() as update:
        update.update_column(path(step), field_type=iceberg_type(step["type"]))


def drop_column(catalog, identifier, step):
    with catalog.load_table(identifier).update_schema(allow_incompatible_changes=True) as update:
        update.delete_column(path(step))


def require_column(catalog, identifier, step):
    with catalog.load_table(identifier).update_schema(allow_incompatible_changes=True) as update:
        update.make_column_optional(path(step)) if step.get("optional") else update.update_column(
            path(step), required=True
        )


def partition_by(catalog, identifier, step):
    with catalog.load_table(identifier).update_spec() as update:
        update.add_field(".".join(path(step)), parse_transform(step["transform"]), step["name"])


def set_properties(catalog, identifier, step):
    with catalog.load_table(identifier).transaction() as transaction:
        transaction.set_properties(step["properties"])


def expire(catalog, identifier, step):
    """Expires the snapshots named, or all but the current one."""
    table = catalog.load_table(identifier)
    ids = [int(each) for each in step.get("snapshotIds") or ()] or [
        each.snapshot_id for each in table.snapshots() if str(each.snapshot_id) != current(table)
    ]
    table.maintenance.expire_snapshots().by_ids(ids).commit()


def branch(catalog, identifier, step):
    table = catalog.load_table(identifier)
    snapshot_id = int(step.get("snapshotId") or current(table))
    table.manage_snapshots().create_branch(snapshot_id, step["branch"]).commit()


def rollback(catalog, identifier, step):
    table = catalog.load_table(identifier)
    table.manage_snapshots().rollback_to_snapshot(int(step["snapshotId"])).commit()


def drop_table(catalog, identifier, step):
    catalog.drop_table(identifier)


def path(step):
    return tuple(step["column"].split("."))


def iceberg_type(text):
    return TypeAdapter(PrimitiveType).validate_python(text) if isinstance(text, str) else StructType.model_validate(text)


def typed(value, kind):
    """The value that PyArrow wants for a canonical one."""
    if value is None:
        return None
    match kind:
        case StructType():
            return {field.name: typed(value.get(field.name), field.field_type) for field in kind.fields}
        case ListType():
            return [typed(each, kind.element_type) for each in value]
        case MapType():
            return [(typed(key, kind.key_type), typed(each, kind.value_type)) for key, each in value]
        case IntegerType() | LongType():
            return int(value)
        case FloatType() | DoubleType():
            return float(value)
        case DecimalType():
            return decimal.Decimal(value)
        case DateType():
            return datetime.date.fromisoformat(value)
        case TimeType():
            return datetime.time.fromisoformat(value)
        case TimestampType() | TimestamptzType():
            return datetime.datetime.fromisoformat(value)
        case UUIDType():
            return uuid.UUID(value).bytes
        case BinaryType() | FixedType():
            return bytes.fromhex(value)
        case _:
            return value


STEPS = {
    "create": create,
    "append": append,
    "add_files": add_files,
    "delete": delete,
    "overwrite": overwrite,
    "add_column": add_column,
    "rename_column": rename_column,
    "promote_column": promote_column,
    "drop_column": drop_column,
    "require_column": require_column,
    "partition_by": partition_by,
    "set_properties": set_properties,
    "expire": expire,
    "branch": branch,
    "rollback": rollback,
    "drop_table": drop_table,
}

if __name__ == "__main__":
    answer(write)
