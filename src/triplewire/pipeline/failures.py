"""What Spark says when a task fails, in one sentence: ours if it was ours, else what was raised, without its stacks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import dropwhile, takewhile

from triplewire.errors import PipelineError, SparkUnavailable

# An error of a task reaches the driver as the text of its traceback only, whoever raised it: its fields are lost there.
_OURS = re.compile(r"^triplewire\.errors\.\w+: ")
_TRACEBACK = "Traceback (most recent call last):"
_STACK = re.compile(
    r"\s*(?:at |\.\.\. \d+ more|Caused by:|Driver stacktrace|JVM stacktrace|During handling|The above )"
)
_JAVA = re.compile(r"(?:[\w$]+\.)+[\w$]*(?:Exception|Error): ")
_MISSING = re.compile(r"\bModuleNotFoundError: (?P<reason>No module named .*)")


@contextmanager
def explained() -> Iterator[None]:
    """Let what Spark raises in the block reach the caller as one sentence."""
    from py4j.protocol import Py4JError  # type: ignore[import-untyped]
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as error:
        raise explained_error(error) from None


def explained_error(error: BaseException) -> BaseException:
    """What went wrong in a task, in one sentence. Whatever is not Spark's stays as it is."""
    from pyspark.errors import PySparkException

    if not isinstance(error, PySparkException) and not type(error).__module__.startswith("py4j"):
        return error
    return failure_of(str(error))


def failure_of(text: str) -> PipelineError:
    """The error that a text of Spark's is about."""
    missing = _MISSING.search(text)
    if missing is not None:
        return SparkUnavailable(
            f"Spark's workers cannot import Triplewire: {missing['reason']}",
            hint="install triplewire[spark] for their Python, or name one that has it with spark.pyspark.python",
        )
    raised = _raised(text)
    ours = _OURS.match(raised)
    return PipelineError(raised[ours.end() :] if ours else f"Spark could not finish: {raised or _java(text)}")


def _raised(text: str) -> str:
    """What ended the last Python traceback: the lines after its frames, which are all indented."""
    _, _, end = text.rpartition(_TRACEBACK)
    if end == text:
        return ""
    lines = dropwhile(lambda line: not line.strip() or line[0].isspace(), end.splitlines())
    return "\n".join(takewhile(lambda line: not _STACK.match(line), lines)).strip()


def _java(text: str) -> str:
    lines = text.splitlines() or [""]
    raised = next((line for line in lines if _JAVA.search(line) and not _STACK.match(line)), lines[0])
    return _JAVA.split(raised)[-1].strip()
