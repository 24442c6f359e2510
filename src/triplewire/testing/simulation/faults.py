"""What a simulated network does to messages.

`Weather` is always there: delay, loss, repetition, some that come much too late. `Wires` can be cut, each way alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from random import Random

from msgspec import Struct

Way = tuple[str, str]


class Weather(Struct, frozen=True, kw_only=True):
    """Seconds, and shares of all messages. With `in_order` nothing overtakes on the same way, as in TCP."""

    fastest: float = 0.001
    slowest: float = 0.02
    loss: float = 0.0
    repeats: float = 0.0
    late: float = 0.0
    lateness: float = 3.0
    in_order: bool = False


FINE = Weather(in_order=True)
ROUGH = Weather(slowest=0.3, loss=0.1, repeats=0.1, late=0.05)


class Wires:
    """Where messages go, and when they arrive."""

    def __init__(self, rng: Random, weather: Weather) -> None:
        self._rng = rng
        self.weather = weather
        self._cuts: Counter[Way] = Counter()
        self._last: dict[Way, float] = {}

    def cut(self, ways: Iterable[Way]) -> None:
        """Let nothing through from the first to the second, until it is mended as often as it was cut."""
        self._cuts.update(ways)

    def mend(self, ways: Iterable[Way]) -> None:
        self._cuts.subtract(ways)

    def is_cut(self, sender: str, receiver: str) -> bool:
        return self._cuts[sender, receiver] > 0

    def arrivals(self, now: float, sender: str, receiver: str) -> Sequence[float]:
        """When a message arrives: once, or never, or more than once."""
        if self._cuts and self.is_cut(sender, receiver):
            return ()
        weather, chance = self.weather, self._rng.random
        if weather.loss and chance() < weather.loss:
            return ()
        copies = 2 if weather.repeats and chance() < weather.repeats else 1
        return [self._arrival(now, (sender, receiver)) for _ in range(copies)]

    def _arrival(self, now: float, way: Way) -> float:
        weather, chance = self.weather, self._rng.random
        moment = now + weather.fastest + (weather.slowest - weather.fastest) * chance()
        if weather.late and chance() < weather.late:
            moment += weather.lateness * chance()
        if weather.in_order:
            moment = self._last[way] = max(moment, self._last.get(way, 0.0))
        return moment


def both_ways(some: Iterable[str], others: Iterable[str]) -> list[Way]:
    """Every way between two groups.

    >>> both_ways(["a"], ["b", "c"])
    [('a', 'b'), ('b', 'a'), ('a', 'c'), ('c', 'a')]
    """
    listed = list(others)
    return [way for one in some for other in listed for way in ((one, other), (other, one))]


def one_way(senders: Iterable[str], receivers: Iterable[str]) -> list[Way]:
    """Every way from one group to another."""
    listed = list(receivers)
    return [(sender, receiver) for sender in senders for receiver in listed]
