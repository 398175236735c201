"""Spark with Iceberg's runtime: rows, counts, statements, and the files that Iceberg's own planning in Java leaves."""

import os

os.environ["TZ"] = "UTC"

from connection import canonical
from literal import value
from pyspark.sql import Row
from pyspark.sql.types import TimestampType
from spark_answers import answer_with_spark


def program(spark):
    jvm = spark._jvm

    def main(request):
        if request["do"] == "version":
            return f"{spark.version} with Iceberg {jvm.org.apache.iceberg.IcebergBuild.version()}"
        source = ".".join(quoted(name) for name in ("ice", *request["namespace"], request["name"]))
        where = f" WHERE {request['sql']}" if request.get("sql") else ""
        match request["do"]:
            case "rows":
                select = ", ".join(quoted(name) for name in request.get("select") or ()) or "*"
                found = as_text(spark.sql(f"SELECT {select} FROM {source}{where}")).collect()
                return [{name: spelled(row[name]) for name in row.__fields__} for row in found]
            case "count":
                return spark.sql(f"SELECT COUNT(*) FROM {source}{where}").collect()[0][0]
            case "plan":
                table = jvm.org.apache.iceberg.spark.Spark3Util.loadIcebergTable(spark._jsparkSession, source)
                scan = table.newScan()
                if request.get("where"):
                    scan = scan.filter(expression(jvm.org.apache.iceberg.expressions.Expressions, jvm, request["where"]))
                tasks = scan.planFiles()
                try:
                    iterator, files = tasks.iterator(), 0
                    while iterator.hasNext():
                        iterator.next()
                        files += 1
                    return files
                finally:
                    tasks.close()
            case "execute":
                spark.sql(request["sql"].replace("{table}", source)).collect()

    return main


def as_text(frame):
    """Zoned timestamps as text: Python makes local times of them, which it cannot at the ends of its calendar."""
    columns = []
    for field in frame.schema.fields:
        column = frame[quoted(field.name)]
        columns.append(column.cast("string").alias(field.name) if isinstance(field.dataType, TimestampType) else column)
    return frame.select(columns)


def expression(factory, jvm, where):
    column, kind = where["column"], where["type"]
    read = lambda each: literal(jvm, each, kind)
    match where["op"]:
        case "=":
            return factory.equal(column, read(where["value"]))
        case "<":
            return factory.lessThan(column, read(where["value"]))
        case ">=":
            return factory.greaterThanOrEqual(column, read(where["value"]))
        case "in":
            values = jvm.java.util.ArrayList()
            for each in where["values"]:
                values.add(read(each))
            return getattr(factory, "in")(column, values)
        case "is null":
            return factory.isNull(column)
        case "is not null":
            return factory.notNull(column)
        case "starts with":
            return factory.startsWith(column, where["value"])


def literal(jvm, text, kind):
    """Text where Iceberg reads text as the type (dates, times, decimals, UUIDs), else the value."""
    match kind:
        case "int" | "long":
            return jvm.java.lang.Long.valueOf(text)
        case "float" | "double":
            return float(text)
        case "uuid":
            return jvm.java.util.UUID.fromString(f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}")
        case _ if kind == "binary" or kind.startswith("fixed"):
            return jvm.java.nio.ByteBuffer.wrap(value(text, kind))
        case _:
            return text


def spelled(each):
    """Python's Row is a tuple: by its names it is a struct; a dict is a map."""
    if isinstance(each, Row):
        return {name: spelled(each[name]) for name in each.__fields__}
    if isinstance(each, dict):
        return [[spelled(key), spelled(member)] for key, member in each.items()]
    if isinstance(each, list):
        return [spelled(member) for member in each]
    return canonical(each)


def quoted(name):
    return "`" + name.replace("`", "``") + "`"


if __name__ == "__main__":
    answer_with_spark(program)
