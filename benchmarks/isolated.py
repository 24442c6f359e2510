"""Each measurement runs in a process of its own: nobody inherits another's heap, and what takes too long is stopped.

The function that is run gets a `tell` as its last argument and may call it with (done, total); it returns a value that
can be pickled.
"""

from __future__ import annotations

import multiprocessing
import time
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from msgspec import Struct

Tell = Callable[[int, int], None]


class OutOfTime(Exception):  # noqa: N818  an outcome more than a fault
    """The measurement did not end within its time."""


class MeasurementFailed(Exception):  # noqa: N818  reads as what happened
    """The measurement raised, or its process died."""


class _Progress(Struct):
    done: int
    total: int


class _Result(Struct):
    value: Any


class _Failure(Struct):
    text: str


def run_apart(function: Callable[..., Any], *arguments: Any, seconds: float, tell: Tell) -> Any:
    """Call the function in a fresh process and wait for its value, for so many seconds."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_serve, args=(there, function, arguments), daemon=True)
    process.start()
    there.close()
    try:
        return _await(here, time.monotonic() + seconds, tell)
    finally:
        process.kill()
        process.join()
        here.close()


def _await(connection: Connection, deadline: float, tell: Tell) -> Any:
    while connection.poll(max(0.0, deadline - time.monotonic())):
        try:
            message = connection.recv()
        except EOFError:
            raise MeasurementFailed("the process died; was there enough memory?") from None
        if isinstance(message, _Progress):
            tell(message.done, message.total)
        elif isinstance(message, _Failure):
            raise MeasurementFailed(message.text)
        else:
            return message.value
    raise OutOfTime


def _serve(connection: Connection, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    try:
        value = function(*arguments, lambda done, total: connection.send(_Progress(done, total)))
    except Exception:  # noqa: BLE001  whatever it is, the other process has to hear of it
        connection.send(_Failure(traceback.format_exc()))
    else:
        connection.send(_Result(value))
