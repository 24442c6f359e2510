"""Under load receipts are late: what is only late is not repeated, and what is lost still is."""

from __future__ import annotations

from random import Random

from tests.network.can.simulation import MemoryContents

from triplewire.network.can.effects import Completed, Effect, Send
from triplewire.network.can.messages import Address, Cast, Receipt, Receipts
from triplewire.network.can.node import CanNode
from triplewire.testing.memory_storage import MemoryStorage

OTHER = Address("n2", "tcp://n2")
TICK = 0.25


class Slow:
    """A node that sends a message to another each tick; each is receipted `late` seconds after its first copy."""

    def __init__(self) -> None:
        storage = MemoryStorage()
        self.node = CanNode("n1", "tcp://n1", MemoryContents(storage), storage, Random(1))
        self.node.found(0.0)
        self.now = 0.0
        self.copies: dict[str, list[float]] = {}
        self.done: set[str] = set()

    def send(self, cast_id: str) -> None:
        self._note(self.node.send_direct(self.now, cast_id, OTHER, b""))

    def step(self, late: float) -> None:
        self.now += TICK
        self._note(self.node.tick(self.now))
        waiting = [cast_id for cast_id, sent in self.copies.items() if cast_id not in self.done]
        ready = tuple(Receipt(cast_id) for cast_id in waiting if self.copies[cast_id][0] + late <= self.now)
        self._note(self.node.receive(self.now, OTHER.id, Receipts(OTHER, (), ready)))

    def _note(self, effects: list[Effect]) -> None:
        for effect in effects:
            if isinstance(effect, Send) and isinstance(effect.message, Cast):
                self.copies.setdefault(effect.message.id, []).append(self.now)
            elif isinstance(effect, Completed):
                self.done.add(effect.cast_id)


def run(slow: Slow, late: float, first: int, count: int) -> list[int]:
    """How many copies there were of each message."""
    for number in range(first, first + count):
        slow.send(f"c{number}")
        slow.step(late)
    return [len(slow.copies[f"c{number}"]) for number in range(first, first + count)]


def test_what_is_late_under_load_is_not_repeated_again_and_again():
    slow = Slow()
    run(slow, late=1.5, first=0, count=60)
    assert max(run(slow, late=1.5, first=60, count=60)) == 1


def test_what_is_lost_is_repeated_after_a_second_where_receipts_are_quick():
    slow = Slow()
    run(slow, late=0.0, first=0, count=60)
    slow.send("lost")
    for _ in range(5):
        slow.step(late=3_600.0)
    assert len(slow.copies["lost"]) == 2


def test_a_failure_delays_repeats_by_seconds_only():
    slow = Slow()
    run(slow, late=60.0, first=0, count=300)
    slow.send("lost")
    sent = slow.now
    while len(slow.copies["lost"]) < 2:
        slow.step(late=3_600.0)
    assert slow.now - sent <= 4.5
