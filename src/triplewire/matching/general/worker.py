"""Evaluate one query in a process of its own, which can be ended in the middle of its work.

Resource handling: the child gets one task on its standard input, writes one answer and ends. It is killed at the
deadline; should its parent be gone by then, its own limits on processor time and memory end it.

Error handling: a child that is killed, dies or gives up means that the evaluation needed too much, which is
BudgetExceeded with the reason.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from math import ceil
from typing import TypeVar

from triplewire.errors import BudgetExceeded
from triplewire.matching.evaluation.budget import Allowance
from triplewire.matching.general.opaque_terms import SECRET, SECRET_VARIABLE

Result = TypeVar("Result")

_PROGRAM = "from triplewire.matching.general.worker import main; main()"
_GAVE_UP = 3


def evaluated_apart(task: Callable[..., Result], arguments: tuple[object, ...], allowance: Allowance) -> Result:
    """`task(*arguments)`, run in another process. The task is a function of a module; all must be picklable."""
    try:
        child = subprocess.run(
            [sys.executable, "-c", _PROGRAM],
            input=pickle.dumps((allowance, task, arguments)),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=allowance.seconds,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), SECRET_VARIABLE: SECRET},
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise BudgetExceeded(f"the evaluation did not finish within {allowance.seconds:g} s") from None
    if child.returncode == _GAVE_UP:
        raise pickle.loads(child.stdout)
    if child.returncode != 0:
        raise BudgetExceeded(f"the evaluation needed more than {allowance.memory >> 20:,} MiB, or crashed")
    result: Result = pickle.loads(child.stdout)
    return result


def main() -> None:
    """What the child runs."""
    allowance, task, arguments = pickle.load(sys.stdin.buffer)
    _limit(allowance)
    try:
        result = task(*arguments)
    except BudgetExceeded as error:
        sys.stdout.buffer.write(pickle.dumps(error))
        sys.stdout.buffer.flush()
        sys.exit(_GAVE_UP)
    sys.stdout.buffer.write(pickle.dumps(result))


def _limit(allowance: Allowance) -> None:
    try:
        import resource
    except ImportError:  # not on Windows; the deadline still holds
        return
    seconds = ceil(allowance.seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_AS, (allowance.memory, allowance.memory))
