"""Ask a node again while it is away or busy, for about a minute: a restart of a node does not end a stream."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from triplewire.errors import NodeRefused, NodeUnreachable
from triplewire.pipeline.jobs.stream.stopping import StopSign

T = TypeVar("T")

DELAYS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0)
_BUSY = (408, 425, 429)


def patiently(call: Callable[[], T], stop: StopSign, delays: tuple[float, ...] = DELAYS) -> T:
    """What the call returns. Raises its last error when patience is over, or when the stream is to stop."""
    for delay in delays:
        try:
            return call()
        except (NodeUnreachable, NodeRefused) as problem:
            if is_final(problem) or stop.wait(delay):
                raise
    return call()


def is_final(problem: NodeUnreachable | NodeRefused) -> bool:
    """Whether asking again would not help: the request is wrong, rather than the moment."""
    return isinstance(problem, NodeRefused) and problem.status < 500 and problem.status not in _BUSY
