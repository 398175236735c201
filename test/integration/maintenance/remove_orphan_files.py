"""One Spark session that runs Iceberg's action behind the procedure remove_orphan_files. The procedure refuses files younger than a
day; the action takes any age.

A request is {namespace, name, location?, older_than_ms, prefix_listing}; the answer is the list of deleted files. Without a location the
action takes the table's own, as the procedure does.
"""

import os

os.environ["TZ"] = "UTC"

from spark_answers import answer_with_spark


def program(spark):
    iceberg = spark._jvm.org.apache.iceberg.spark

    def main(request):
        source = ".".join(("ice", *request["namespace"], request["name"]))
        table = iceberg.Spark3Util.loadIcebergTable(spark._jsparkSession, source)
        action = iceberg.actions.SparkActions.get(spark._jsparkSession).deleteOrphanFiles(table)
        action = action.olderThan(request["older_than_ms"]).usePrefixListing(request["prefix_listing"])
        if request.get("location"):
            action = action.location(request["location"])
        return sorted(action.execute().orphanFileLocations())

    return main


if __name__ == "__main__":
    answer_with_spark(program)
