"""PyIceberg's add_files with its defaults, in one call: a request on standard input, what it took on standard output.

request: {uri, store, namespace, name, schema, paths}; answer: {seconds, rows, files, peakMib}. Starting and importing do not count.
"""

import json
import resource
import sys
import time

from pyiceberg.catalog import load_catalog
from pyiceberg.schema import Schema

request = json.load(sys.stdin)
store = request["store"]
catalog = load_catalog(
    "peer",
    **{
        "type": "rest",
        "uri": request["uri"],
        "s3.endpoint": store["endpoint"],
        "s3.access-key-id": store["accessKeyId"],
        "s3.secret-access-key": store["secretAccessKey"],
        "s3.region": store["region"],
        "s3.force-virtual-addressing": False,
    },
)
catalog.create_namespace_if_not_exists(request["namespace"])
identifier = (request["namespace"], request["name"])
if catalog.table_exists(identifier):
    table = catalog.load_table(identifier)
else:
    table = catalog.create_table(identifier, Schema.model_validate(request["schema"]))

started = time.perf_counter()
table.add_files(file_paths=request["paths"])
seconds = time.perf_counter() - started

summary = table.current_snapshot().summary
print(
    json.dumps(
        {
            "seconds": seconds,
            "rows": summary["total-records"],
            "files": summary["total-data-files"],
            "peakMib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        }
    )
)
