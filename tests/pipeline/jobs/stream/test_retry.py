"""Asking a node again while it is away or busy."""

from __future__ import annotations

import pytest

from triplewire.errors import NodeRefused, NodeUnreachable
from triplewire.pipeline.jobs.stream.retry import with_retries
from triplewire.pipeline.jobs.stream.stop_signal import StopSignal


class Waited(StopSignal):
    """Does not wait, but remembers for how long it should have."""

    def __init__(self, asked_after: int = 100) -> None:
        super().__init__()
        self.delays: list[float] = []
        self._asked_after = asked_after

    def wait(self, seconds: float) -> bool:
        self.delays.append(seconds)
        return len(self.delays) >= self._asked_after


def failing(*problems: Exception):
    left = iter(problems)

    def call() -> str:
        for problem in left:
            raise problem
        return "answer"

    return call


AWAY = NodeUnreachable("no answer")


def test_a_node_that_is_away_or_busy_is_asked_again():
    stop = Waited()
    assert with_retries(failing(AWAY, NodeRefused(503, "", ""), NodeRefused(429, "", "")), stop) == "answer"
    assert stop.delays == [0.5, 1.0, 2.0]


def test_patience_ends_after_about_a_minute():
    stop = Waited()
    with pytest.raises(NodeUnreachable):
        with_retries(failing(*[AWAY] * 8), stop)
    assert stop.delays == [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0]


def test_what_is_refused_for_good_is_not_asked_again():
    stop = Waited()
    with pytest.raises(NodeRefused):
        with_retries(failing(NodeRefused(401, "", "")), stop)
    assert stop.delays == []


def test_a_stream_that_is_to_stop_waits_no_more():
    stop = Waited(asked_after=2)
    with pytest.raises(NodeUnreachable):
        with_retries(failing(AWAY, AWAY, AWAY), stop)
    assert stop.delays == [0.5, 1.0]
