"""Writes equality deletes, as Flink's upserts do and few others: PyIceberg writes none itself.

Request: {catalog, namespace, name, column, values}; rows with one of the values, of every earlier snapshot, are deleted.
"""

import io
import uuid

import pyarrow
import pyarrow.parquet
from connection import answer, pyiceberg_catalog
from pyiceberg.manifest import (
    DataFile,
    DataFileContent,
    FileFormat,
    ManifestContent,
    ManifestEntry,
    ManifestEntryStatus,
    ManifestWriterV2,
)
from pyiceberg.schema import Schema
from pyiceberg.table.snapshots import Operation
from pyiceberg.table.update.snapshot import _FastAppendFiles
from pyiceberg.typedef import Record
from pyiceberg.types import IntegerType, ListType, StructType


class DeleteManifestWriter(ManifestWriterV2):
    def content(self):
        return ManifestContent.DELETES

    def _with_partition(self, format_version):
        """Equality IDs are ints (spec, field 136); PyIceberg has longs for them, which Java does not take."""
        entry = super()._with_partition(format_version)
        fields = [
            field.model_copy(update={"field_type": with_int_ids(field.field_type)}) if field.name == "data_file" else field
            for field in entry.fields
        ]
        return Schema(*fields)

    @property
    def _meta(self):
        return {**super()._meta, "content": "deletes"}


def with_int_ids(data_file):
    ids = ListType(element_id=136, element_type=IntegerType(), element_required=True)
    fields = [
        field.model_copy(update={"field_type": ids}) if field.field_id == 135 else field for field in data_file.fields
    ]
    return StructType(*fields)


class EqualityDelete(_FastAppendFiles):
    delete_file = None

    def _manifests(self):
        path = self._transaction._table.location_provider().new_metadata_location(f"{uuid.uuid4()}-deletes.avro")
        metadata = self._transaction.table_metadata
        output = self._io.new_output(path)
        with DeleteManifestWriter(metadata.spec(), metadata.schema(), output, self._snapshot_id, "deflate") as writer:
            writer.add_entry(
                ManifestEntry.from_args(
                    status=ManifestEntryStatus.ADDED,
                    snapshot_id=self._snapshot_id,
                    sequence_number=None,
                    file_sequence_number=None,
                    data_file=self.delete_file,
                )
            )
        return [writer.to_manifest_file(), *self._existing_manifests()]


def main(request):
    table = pyiceberg_catalog(request["catalog"]).load_table((*request["namespace"], request["name"]))
    field = table.schema().find_field(request["column"])
    metadata = {"PARQUET:field_id": str(field.field_id)}
    column = pyarrow.field(field.name, pyarrow.int64(), nullable=not field.required, metadata=metadata)
    sink = io.BytesIO()
    pyarrow.parquet.write_table(
        pyarrow.table([pyarrow.array(request["values"], pyarrow.int64())], schema=pyarrow.schema([column])), sink
    )
    path = f"{table.location()}/data/{uuid.uuid4()}-eq-deletes.parquet"
    with table.io.new_output(path).create() as stream:
        stream.write(sink.getvalue())
    with table.transaction() as transaction:
        producer = EqualityDelete(operation=Operation.DELETE, transaction=transaction, io=table.io)
        producer.delete_file = DataFile.from_args(
            content=DataFileContent.EQUALITY_DELETES,
            file_path=path,
            file_format=FileFormat.PARQUET,
            partition=Record(),
            record_count=len(request["values"]),
            file_size_in_bytes=len(sink.getvalue()),
            equality_ids=[field.field_id],
            sort_order_id=None,
            spec_id=table.metadata.default_spec_id,
            split_offsets=None,
            key_metadata=None,
        )
        producer.commit()


if __name__ == "__main__":
    answer(main)
