"""One Spark session that takes commands, a JSON object a line, and answers each with one: it maintains tables as a platform
would while others write them, and counts their rows in the end.
"""

import json
import os
import sys

os.environ["TZ"] = "UTC"

from pyspark.sql import SparkSession

TEXT = """concat_ws('|', seq, device, unix_micros(measured_at), coalesce(string(reading), '~'), coalesce(remark, '~'),
    coalesce(string(level), '~'), coalesce(firmware.version, '~'), coalesce(firmware.channel, '~'))"""


def session(catalog, jars):
    store = catalog["store"]
    settings = {
        "spark.jars": ",".join(jars),
        "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        "spark.sql.catalog.ice": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.ice.type": "rest",
        "spark.sql.catalog.ice.uri": catalog["uri"],
        "spark.sql.catalog.ice.io-impl": "org.apache.iceberg.aws.s3.S3FileIO",
        "spark.sql.catalog.ice.s3.endpoint": store["endpoint"],
        "spark.sql.catalog.ice.s3.path-style-access": "true",
        "spark.sql.catalog.ice.s3.access-key-id": store["accessKeyId"],
        "spark.sql.catalog.ice.s3.secret-access-key": store["secretAccessKey"],
        "spark.sql.catalog.ice.client.region": store["region"],
        "spark.sql.catalog.ice.cache-enabled": "false",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.memory": "1g",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
    }
    builder = SparkSession.builder.master("local[2]").appName("soak")
    for key, value in settings.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def maintain(spark, table, older_than):
    """Compacts, rewrites manifests, then expires what is older, with the files that nothing else needs."""
    return {**compact(spark, table), **rewrite_manifests(spark, table), **expire(spark, table, older_than)}


def compact(spark, table):
    done = call(spark, f"rewrite_data_files(table => '{table}', options => map('min-input-files', '2'))")
    return {"compacted": done["rewritten_data_files_count"]}


def rewrite_manifests(spark, table):
    return {"manifests": call(spark, f"rewrite_manifests(table => '{table}')")["rewritten_manifests_count"]}


def expire(spark, table, older_than):
    done = call(
        spark,
        f"expire_snapshots(table => '{table}', older_than => TIMESTAMP '{older_than}', retain_last => 1, stream_results => true)",
    )
    return {"snapshots": done["deleted_manifest_lists_count"], "files": done["deleted_data_files_count"]}


def call(spark, procedure):
    return spark.sql(f"CALL ice.system.{procedure}").collect()[0].asDict()


def count(spark, table, catalog="ice"):
    row = spark.sql(
        f"""SELECT count(*) AS row_count, count(DISTINCT seq) AS distinct_seq,
        sum(bigint(conv(substr(md5({TEXT}), 1, 8), 16, 10))) AS checksum FROM {catalog}.{table}"""
    ).collect()[0]
    return {"rows": row["row_count"], "distinct": row["distinct_seq"], "checksum": str(row["checksum"] or 0)}


def main():
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    spark = session(json.loads(sys.argv[1]), sys.argv[2:])
    spark.sparkContext.setLogLevel("ERROR")
    for line in sys.stdin:
        command = json.loads(line)
        try:
            answer = {"answer": {"maintain": maintain, "count": count}[command.pop("do")](spark, **command)}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}".split("\n")[0][:500]}
        print(json.dumps(answer), file=answers)


if __name__ == "__main__":
    main()
