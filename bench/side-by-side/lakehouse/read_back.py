"""Whether a table has exactly the files it was given, and their rows: read by PyIceberg, whoever wrote it.

A request a line: {"catalog": {...}, "namespace": ["bench"], "name": "small", "files": ["s3://…"], "before": 1000, "sample": 30}; the answer
is a list of what is wrong. `before` files of the built history lie in no store, below …/before/; their manifests, below …_before/, are
counted by the list and not opened.
"""

import collections
import pathlib
import random
import sys

import pyarrow.parquet
from pyiceberg.expressions import AlwaysTrue
from pyiceberg.io.pyarrow import ArrowScan
from pyiceberg.table import FileScanTask

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "test/integration/readers"))
from connection import answer, pyiceberg_catalog  # noqa: E402

ROWS_OF_A_FILE = 10_000


def check(request):
    table = pyiceberg_catalog(request["catalog"]).load_table((*request["namespace"], request["name"]))
    manifests = table.current_snapshot().manifests(table.io)
    listed = sum(one.added_files_count + one.existing_files_count for one in manifests)
    entries = [
        entry
        for manifest in manifests
        if "_before/" not in manifest.manifest_path
        for entry in manifest.fetch_manifest_entry(table.io)
    ]
    tasks = [FileScanTask(entry.data_file) for entry in entries if "/before/" not in entry.data_file.file_path]
    found = collections.Counter(task.file.file_path for task in tasks)
    wanted = set(request["files"])
    expected = request["before"] + len(request["files"])
    wrong = [] if listed == expected else [f"the list counts {listed} files instead of {expected}"]
    wrong += [f"{path} is there {count} times" for path, count in found.items() if count > 1]
    wrong += [f"{path} is missing" for path in sorted(wanted - found.keys())]
    wrong += [f"{path} was never given" for path in sorted(found.keys() - wanted)]
    wrong += [
        f"{task.file.file_path} is said to have {task.file.record_count} rows"
        for task in tasks
        if task.file.record_count != ROWS_OF_A_FILE
    ]
    for task in random.sample(tasks, min(request["sample"], len(tasks))):
        wrong += compare(table, task)
    return wrong


def compare(table, task):
    """The rows as the table gives them, against those of the file itself."""
    rows = ArrowScan(table.metadata, table.io, table.schema(), AlwaysTrue()).to_table([task])
    with table.io.new_input(task.file.file_path).open() as file:
        written = pyarrow.parquet.read_table(file)
    same = rows.num_rows == ROWS_OF_A_FILE and rows.equals(written.select(rows.column_names).cast(rows.schema))
    return [] if same else [f"{task.file.file_path} has other rows in the table than in the file"]


if __name__ == "__main__":
    answer(check)
