"""One Spark session of a platform: it maintains a table, deletes, rolls back, and counts, also through a catalog that caches.

Commands, a JSON object a line, all with `table`: compact, rewrite manifests, expire {older_than}, delete {first, last} -> the rows that
are left of them, snapshot, rollback {snapshot}, count {cached?}, cached rows, refresh, property {name, value}, pid.
"""

import os
import sys

os.environ["TZ"] = "UTC"

import maintenance
from spark_answers import answer_with_spark


def program(spark):
    def settings(name):
        return {key: value for key, value in spark.sparkContext.getConf().getAll() if key.startswith(f"spark.sql.catalog.{name}")}

    # The same catalog with Spark's own default, which is to cache tables.
    for key, value in settings("ice").items():
        spark.conf.set(key.replace("catalog.ice", "catalog.cached"), "true" if key.endswith("cache-enabled") else value)

    def main(request):
        table = request.get("table")
        match request["do"]:
            case "compact":
                return maintenance.compact(spark, table)
            case "rewrite manifests":
                return maintenance.rewrite_manifests(spark, table)
            case "expire":
                return maintenance.expire(spark, table, request["older_than"])
            case "delete":
                where = f"seq BETWEEN {int(request['first'])} AND {int(request['last'])}"
                try:
                    spark.sql(f"DELETE FROM ice.{table} WHERE {where}")
                except Exception as error:
                    print(error, file=sys.stderr)
                return spark.sql(f"SELECT count(seq) FROM ice.{table} WHERE {where}").collect()[0][0]
            case "snapshot":
                head = spark.sql(f"SELECT snapshot_id FROM ice.{table}.refs WHERE name = 'main'").collect()
                return str(head[0][0])
            case "rollback":
                maintenance.call(spark, f"rollback_to_snapshot('{table}', {int(request['snapshot'])})")
            case "count":
                return maintenance.count(spark, table, "cached" if request.get("cached") else "ice")
            case "cached rows":
                return spark.sql(f"SELECT count(seq) FROM cached.{table}").collect()[0][0]
            case "refresh":
                spark.sql(f"REFRESH TABLE cached.{table}")
            case "property":
                spark.sql(f"ALTER TABLE ice.{table} SET TBLPROPERTIES ('{request['name']}' = '{request['value']}')")
            case "pid":
                return spark._jvm.java.lang.ProcessHandle.current().pid()

    return main


if __name__ == "__main__":
    answer_with_spark(program)
