"""Reads one table through PyIceberg: rows, the schema with its field IDs, snapshots, and the live data files."""

import json
import re

from connection import answer, canonical, pyiceberg_catalog
from pyiceberg.manifest import DataFileContent


def read(request):
    table = pyiceberg_catalog(request["catalog"]).load_table((*request["namespace"], request["name"]))
    snapshot_id = int(request["snapshotId"]) if request.get("snapshotId") else None
    scan = table.scan(
        row_filter=request.get("filter") or "true",
        selected_fields=tuple(request.get("select") or ("*",)),
        snapshot_id=snapshot_id,
    )
    snapshot = scan.snapshot()
    return {
        "rows": [canonical(row) for row in scan.to_arrow().to_pylist()],
        "rowCount": scan.count(),
        "schema": schema_of(scan),
        "metadata": metadata_of(table),
        "snapshots": [snapshot_of(each) for each in in_order(table.snapshots())],
        "currentSnapshotId": None if snapshot is None else str(snapshot.snapshot_id),
        "dataFiles": [] if snapshot is None else data_files(table, snapshot),
    }


def in_order(snapshots):
    """Oldest first: metadata has them in any order, and Lakekeeper's in another at every load."""
    return sorted(snapshots, key=lambda each: (each.sequence_number, each.timestamp_ms))


def schema_of(scan):
    """The schema in the JSON of the table spec, types spelled without white space."""
    return json.loads(re.sub(r"(\(\d+), (\d+\))", r"\1,\2", scan.projection().model_dump_json()))


def metadata_of(table):
    return {
        "uuid": str(table.metadata.table_uuid),
        "location": table.metadata.location,
        "metadataLocation": table.metadata_location,
        "formatVersion": table.metadata.format_version,
        "lastColumnId": table.metadata.last_column_id,
        "schemaIds": sorted(schema.schema_id for schema in table.metadata.schemas),
        "properties": table.properties,
    }


def snapshot_of(snapshot):
    summary = snapshot.summary
    return {
        "snapshotId": str(snapshot.snapshot_id),
        "parentId": None if snapshot.parent_snapshot_id is None else str(snapshot.parent_snapshot_id),
        "sequenceNumber": str(snapshot.sequence_number),
        "timestampMs": snapshot.timestamp_ms,
        "schemaId": snapshot.schema_id,
        "summary": {"operation": summary.operation.value, **summary.additional_properties},
    }


def data_files(table, snapshot):
    """Every live file, data and delete files alike, from the manifests."""
    files = []
    for manifest in snapshot.manifests(table.io):
        for entry in manifest.fetch_manifest_entry(table.io, discard_deleted=True):
            file = entry.data_file
            files.append(
                {
                    "path": file.file_path,
                    "content": DataFileContent(file.content).name.lower(),
                    "specId": file.spec_id,
                    "partition": [canonical(value) for value in partition_values(file.partition)],
                    "recordCount": str(file.record_count),
                    "sizeBytes": str(file.file_size_in_bytes),
                    "sequenceNumber": str(entry.sequence_number),
                    "columnSizes": counts(file.column_sizes),
                    "valueCounts": counts(file.value_counts),
                    "nullValueCounts": counts(file.null_value_counts),
                    "nanValueCounts": counts(file.nan_value_counts),
                    "lowerBounds": bounds(file.lower_bounds),
                    "upperBounds": bounds(file.upper_bounds),
                    "splitOffsets": [str(offset) for offset in file.split_offsets or ()],
                }
            )
    return files


def partition_values(partition):
    return [partition[position] for position in range(len(partition))]


def counts(by_field_id):
    return {str(field_id): str(count) for field_id, count in (by_field_id or {}).items()}


def bounds(by_field_id):
    return {str(field_id): bound.hex() for field_id, bound in (by_field_id or {}).items()}


if __name__ == "__main__":
    answer(read)
