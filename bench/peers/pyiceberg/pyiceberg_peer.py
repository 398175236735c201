"""PyIceberg's add_files as a process that lives: a job a line on standard input, an answer a line on standard output.

    pyiceberg_peer.py '{"catalog":"http://…","endpoint":"http://…",…}' check|no-check

then {"table":"a.b","files":["s3://…"]} a line.
"""

import json
import re
import resource
import sys
import time

from pyiceberg.catalog import load_catalog


def serve(connection, check):
    catalog = connect(connection)
    tables = {}
    for line in sys.stdin:
        job = json.loads(line)
        started, cpu = time.perf_counter(), cpu_ms()
        name = job["table"]
        if name not in tables:
            tables[name] = catalog.load_table(name)
        tables[name].add_files(job["files"], check_duplicate_files=check)
        elapsed = (time.perf_counter() - started) * 1000
        answer = {"elapsedMs": round(elapsed, 3), "cpuMs": round(cpu_ms() - cpu, 3), "rssMib": rss_mib()}
        print(json.dumps(answer), flush=True)


def connect(services):
    return load_catalog(
        "bench",
        **{
            "type": "rest",
            "uri": services["catalog"],
            "s3.endpoint": services["endpoint"],
            "s3.region": services["region"],
            "s3.access-key-id": services["accessKeyId"],
            "s3.secret-access-key": services["secretAccessKey"],
            "s3.force-virtual-addressing": False,
        },
    )


def cpu_ms():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return (used.ru_utime + used.ru_stime) * 1000


def rss_mib():
    with open("/proc/self/status") as status:
        return round(int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1)) / 1024, 1)


serve(json.loads(sys.argv[1]), sys.argv[2] == "check")
