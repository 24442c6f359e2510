"""Ask a node again while it is away or busy, for about a minute: a restart of a node does not end a stream."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from triplewire.errors import NodeRefused, NodeUnreachable
from triplewire.pipeline.jobs.stream.stop_signal import StopSignal
from triplewire.system.backoff import Backoff

T = TypeVar("T")

BACKOFF, _RETRIES = Backoff(first=0.5, longest=30.0), 7


def with_retries(call: Callable[[], T], stop: StopSignal, backoff: Backoff = BACKOFF) -> T:
    """What the call returns. Raises its last error after the last retry, or when the stream is to stop."""
    for failures in range(1, _RETRIES + 1):
        try:
            return call()
        except (NodeUnreachable, NodeRefused) as problem:
            if not problem.is_retryable or stop.wait(backoff.delay(failures)):
                raise
    return call()
