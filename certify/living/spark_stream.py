"""One Spark process that appends JSON files of a folder to a table as a stream: started, asked, drained; killed from outside.

Commands, a JSON object a line: {do: start, table, folder, checkpoint}, {do: error} -> what ended the stream or null,
{do: drain} -> once every file of the folder is appended, {do: pid} -> the process ID of the JVM.
"""

import os

os.environ["TZ"] = "UTC"

from spark_answers import answer_with_spark

SCHEMA = "seq STRING, device STRING, measured_at STRING, reading STRING"
COLUMNS = {
    "seq": "bigint(seq)",
    "device": "device",
    "measured_at": "timestamp_micros(bigint(measured_at))",
    "reading": "reading",
}


def program(spark):
    running = {}

    def columns(table):
        """Every column that the table has now, the others null: the rows are of the newest schema."""
        for field in spark.table(table).schema.fields:
            kind = field.dataType.simpleString()
            yield f"CAST({COLUMNS.get(field.name, 'NULL')} AS {kind}) AS `{field.name}`"

    def start(request):
        rows = spark.readStream.schema(SCHEMA).json(request["folder"])
        writer = rows.selectExpr(*columns(request["table"])).writeStream.format("iceberg").outputMode("append")
        running["query"] = (
            writer.trigger(processingTime="2 seconds")
            .option("checkpointLocation", request["checkpoint"])
            # What is read from JSON may be null for all that Spark knows; the table's columns may not.
            .option("check-nullability", "false")
            .toTable(request["table"])
        )

    def main(request):
        match request["do"]:
            case "start":
                start(request)
            case "error":
                error = running["query"].exception()
                return None if error is None else str(error)[:500]
            case "drain":
                running["query"].processAllAvailable()
            case "pid":
                return spark._jvm.java.lang.ProcessHandle.current().pid()

    return main


if __name__ == "__main__":
    answer_with_spark(program)
