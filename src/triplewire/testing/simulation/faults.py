"""Faults of a simulated network.

The `FaultModel` always applies: delay, loss, duplication, late arrival. `LinkModel` applies it, and can be cut in each
direction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from random import Random

from msgspec import Struct

DirectedLink = tuple[str, str]


class FaultModel(Struct, frozen=True, kw_only=True):
    """Delays in seconds, and probabilities. With `in_order` nothing overtakes on the same link, as in TCP."""

    fastest: float = 0.001
    slowest: float = 0.02
    loss: float = 0.0
    repeats: float = 0.0
    late: float = 0.0
    lateness: float = 3.0
    in_order: bool = False


RELIABLE = FaultModel(in_order=True)
UNRELIABLE = FaultModel(slowest=0.3, loss=0.1, repeats=0.1, late=0.05)


class LinkModel:
    """Decides when messages arrive on which link."""

    def __init__(self, rng: Random, fault_model: FaultModel) -> None:
        self._rng = rng
        self.fault_model = fault_model
        self._cuts: Counter[DirectedLink] = Counter()
        self._last: dict[DirectedLink, float] = {}

    def cut(self, links: Iterable[DirectedLink]) -> None:
        """Drop everything on these links, until they are healed as often as they were cut."""
        self._cuts.update(links)

    def heal(self, links: Iterable[DirectedLink]) -> None:
        self._cuts.subtract(links)

    def is_cut(self, sender: str, receiver: str) -> bool:
        return self._cuts[sender, receiver] > 0

    def arrivals(self, now: float, sender: str, receiver: str) -> Sequence[float]:
        """The arrival times of a message: one, none, or several."""
        if self._cuts and self.is_cut(sender, receiver):
            return ()
        fault_model, chance = self.fault_model, self._rng.random
        if fault_model.loss and chance() < fault_model.loss:
            return ()
        copies = 2 if fault_model.repeats and chance() < fault_model.repeats else 1
        return [self._arrival(now, (sender, receiver)) for _ in range(copies)]

    def _arrival(self, now: float, link: DirectedLink) -> float:
        fault_model, chance = self.fault_model, self._rng.random
        moment = now + fault_model.fastest + (fault_model.slowest - fault_model.fastest) * chance()
        if fault_model.late and chance() < fault_model.late:
            moment += fault_model.lateness * chance()
        if fault_model.in_order:
            moment = self._last[link] = max(moment, self._last.get(link, 0.0))
        return moment


def links_between(some: Iterable[str], others: Iterable[str]) -> list[DirectedLink]:
    """Every directed link between two groups.

    >>> links_between(["a"], ["b", "c"])
    [('a', 'b'), ('b', 'a'), ('a', 'c'), ('c', 'a')]
    """
    listed = list(others)
    return [link for one in some for other in listed for link in ((one, other), (other, one))]


def links_from(senders: Iterable[str], receivers: Iterable[str]) -> list[DirectedLink]:
    """Every directed link from one group to another."""
    listed = list(receivers)
    return [(sender, receiver) for sender in senders for receiver in listed]
