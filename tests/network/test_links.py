"""Links over a network that loses, repeats and reorders: each message once and in order, or both ends are told."""

from __future__ import annotations

from itertools import count
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triplewire.network import link as links
from triplewire.network.link import Link
from triplewire.network.messages import Heartbeat, LinkFrame

RETRY = 1.0


def _link(start: int = 1) -> Link:
    numbers = count(start << 32)
    return Link(lambda: next(numbers), 0.0)


class Pair:
    """Two ends, and frames between them that a generator plays with."""

    def __init__(self, rng: Random, loss: float) -> None:
        self.ends = {"a": _link(), "b": _link()}
        self.got: dict[str, list[int]] = {"a": [], "b": []}
        self.restarts = {"a": 0, "b": 0}
        self.flying: list[tuple[str, LinkFrame]] = []
        self.now = 0.0
        self._rng = rng
        self._loss = loss

    def post(self, sender: str, frames: object) -> None:
        to = "b" if sender == "a" else "a"
        for frame in frames:  # type: ignore[attr-defined]
            copies = 0 if self._rng.random() < self._loss else self._rng.choice([1, 1, 2])
            self.flying += [(to, frame)] * copies

    def say(self, sender: str, number: int) -> None:
        self.post(sender, self.ends[sender].send(self.now, Heartbeat(number)))

    def step(self) -> None:
        self.now += 0.3
        self._rng.shuffle(self.flying)
        some = len(self.flying) * 2 // 3 + 1
        arriving, self.flying = self.flying[:some], self.flying[some:]
        for to, frame in arriving:
            received = self.ends[to].receive(self.now, frame)
            if received.restarted:
                self.restarts[to] += 1
                self.got[to] = []
            self.got[to] += [message.digest for message in received.messages if isinstance(message, Heartbeat)]
            self.post(to, received.frames)
        for end in self.ends:
            self.post(end, self.ends[end].tick(self.now, RETRY))

    def settle(self) -> None:
        self._loss = 0.0
        for _ in range(300):
            self.step()
            if all(link.is_idle for link in self.ends.values()) and not self.flying:
                return


@given(st.integers(0, 2**32), st.floats(0, 0.6), st.integers(0, 60))
def test_f9_each_message_arrives_once_and_in_order(seed: int, loss: float, messages: int) -> None:
    rng = Random(seed)
    pair = Pair(rng, loss)
    for number in range(messages):
        pair.say("a", number)
        pair.say("b", -number)
        if rng.random() < 0.5:
            pair.step()
    pair.settle()
    assert pair.got == {"a": [-number for number in range(messages)], "b": list(range(messages))}
    assert pair.restarts == {"a": 0, "b": 0}


@given(st.integers(0, 2**32), st.floats(0, 0.5))
def test_a_side_that_begins_anew_is_heard_from_the_beginning(seed: int, loss: float) -> None:
    rng = Random(seed)
    pair = Pair(rng, loss)
    for number in range(10):
        pair.say("a", number)
        pair.say("b", number)
        pair.step()
    pair.ends["a"] = _link(start=2)
    pair.got["a"] = []
    for number in range(100, 110):
        pair.say("a", number)
        pair.step()
    pair.settle()
    assert pair.got["b"] == list(range(100, 110))
    for number in range(200, 205):
        pair.say("b", number)
    pair.settle()
    assert pair.got["a"][-5:] == list(range(200, 205))


def _established() -> tuple[Link, Link]:
    a, b = _link(), _link(start=5)
    (opening,) = a.send(0.0, Heartbeat(1))
    (hint,) = b.receive(0.0, opening).frames
    (frame,) = a.receive(0.0, hint).frames
    assert b.receive(0.0, frame).messages == (Heartbeat(1),)
    return a, b


def test_a12_a_recorded_frame_that_is_sent_again_does_nothing() -> None:
    a, b = _established()
    (frame,) = a.send(0.0, Heartbeat(2))
    assert b.receive(0.0, frame).messages == (Heartbeat(2),)
    assert b.receive(0.0, frame).messages == ()
    later = _link(start=9)
    assert later.receive(1.0, frame).messages == (), "a frame for an earlier session is refused by a later one"


def test_f5_what_waits_for_somebody_absent_is_bounded() -> None:
    a, _ = _established()
    for number in range(links.MAX_WAITING + links.WINDOW + 2):
        a.send(0.0, Heartbeat(number))
    assert a.is_overrun
    a.restart(1.0)
    assert a.is_idle
    assert not a.is_overrun


def test_whoever_is_heard_but_does_not_hear_is_silent() -> None:
    a, b = _established()
    for frame in b.tick(0.5, RETRY):
        a.receive(0.5, frame)
    a.send(1.0, Heartbeat(2))
    for second in range(2, 6):
        for frame in b.send(float(second), Heartbeat(second)):
            a.receive(float(second), frame)
    assert a.silent_for(6.0) == pytest.approx(5.0)


def test_not_more_than_a_window_is_on_its_way() -> None:
    a, _ = _established()
    frames = [frame for number in range(links.WINDOW * 2) for frame in a.send(0.0, Heartbeat(number))]
    assert len(frames) < links.WINDOW + 1
