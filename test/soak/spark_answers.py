"""Answers requests with a Spark session (`connection.answer`). Spark's JVM writes to standard output, so the answers have a copy of it."""

import json
import os
import sys

from connection import answer
from maintenance import session


def answer_with_spark(program):
    """The arguments of the process are the catalog as JSON and Spark's jars."""
    answers = os.dup(1)
    os.dup2(2, 1)
    sys.stdout = os.fdopen(answers, "w")
    spark = session(json.loads(sys.argv[1]), sys.argv[2:])
    spark.sparkContext.setLogLevel("ERROR")
    answer(program(spark))
