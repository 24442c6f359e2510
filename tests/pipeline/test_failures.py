"""What Spark says of a task that failed becomes one sentence, whatever stands in the source lines of its stacks."""

from __future__ import annotations

import pytest

from triplewire.errors import PipelineError, SparkUnavailable
from triplewire.pipeline.failures import failure_of

_FRAMES = """An exception was thrown from the Python worker:
Traceback (most recent call last):
  File "/opt/triplewire/pipeline/placement.py", line 71, in located
    except SnapshotError:
           ^^^^^^^^^^^^^
"""
_JAVA = """An error occurred while calling o939.collectToPython.
: org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 14.0 failed 4 times, most recent \
failure: Lost task 0.3 in stage 14.0 (TID 3) (127.0.0.1 executor 1): java.io.IOException: Cannot run program "/no/py": \
error=2, No such file or directory
\tat java.base/java.lang.ProcessBuilder.start(ProcessBuilder.java:1143)
Caused by: java.io.IOException: error=2, No such file or directory
\t... 21 more

Driver stacktrace:
\tat org.apache.spark.scheduler.DAGScheduler.abortStage(DAGScheduler.scala:4568)
"""


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            _FRAMES + "PermissionError: [Errno 13] Permission denied: '/lake/index.json'\n",
            "Spark could not finish: PermissionError: [Errno 13] Permission denied: '/lake/index.json'",
        ),
        (_FRAMES + "triplewire.errors.InputError: x.nq:3: no quad", "x.nq:3: no quad"),
        (
            _FRAMES + "OSError: [Errno 2] x\n\nThe above exception was the direct cause of the following exception:\n\n"
            "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    raise ValueError('Error')\n"
            "triplewire.errors.PipelineError: x.nq: wanted a file\n  found none\n\n"
            "\tat org.apache.spark.api.python.BasePythonRunner.compute(P.scala:1)\nCaused by: y.ZError: no\n",
            "x.nq: wanted a file\n  found none",
        ),
        (_JAVA, 'Spark could not finish: Cannot run program "/no/py": error=2, No such file or directory'),
        ("[PATH_NOT_FOUND] Path does not exist: file:/x.", "Spark could not finish: [PATH_NOT_FOUND] Path does not "
         "exist: file:/x."),
        ("", "Spark could not finish: "),
    ],
)  # fmt: skip
def test_the_sentence(text, sentence):
    assert str(failure_of(text)) == sentence


@pytest.mark.parametrize("name", ["triplewire", "pyarrow.lib"])
def test_workers_without_triplewire(name):
    failure = failure_of(f"{_FRAMES}ModuleNotFoundError: No module named '{name}'\n")
    assert isinstance(failure, SparkUnavailable)
    assert str(failure) == (
        f"Spark's workers cannot import Triplewire: No module named '{name}'; install triplewire[spark] for their "
        "Python, or name one that has it with spark.pyspark.python"
    )


def test_an_error_of_ours_is_an_error_of_the_pipeline():
    assert isinstance(failure_of(_JAVA), PipelineError)
