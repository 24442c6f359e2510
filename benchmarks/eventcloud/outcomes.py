"""What one run of a workload gave, simulated or real."""

from __future__ import annotations

from msgspec import Struct

CSMA, OSMA = "csma", "osma"
PLAIN = "plain"
"""One node that is in no space."""
STRATEGIES = (CSMA, OSMA)


class Outcome(Struct, frozen=True):
    """One point of a figure. `experiment` is the letter of the paper's figure 2.

    `throughput` is the subscriber's: matching publications divided by the time from the first to the last awaited
    notification (the paper's footnote 2). `stored` is from the first publication until all are acknowledged.
    `kinds` are messages an event by their kind.
    `busiest` and `busy` are shares of the time in which a node worked: of the one that worked most, and the mean.
    """

    experiment: str
    strategy: str
    nodes: int
    subscriptions: int
    events: int
    throughput: float
    stored: float
    messages: float = 0.0
    kilobytes: float = 0.0
    busiest: float = 0.0
    busy: float = 0.0
    kinds: dict[str, float] = {}

    @property
    def stored_per_second(self) -> float:
        return self.events / self.stored

    @property
    def rate(self) -> float:
        """Events a second at the subscriber, or where there is none into the store."""
        return self.throughput if self.subscriptions else self.stored_per_second


def of(outcomes: list[Outcome], experiment: str, strategy: str) -> list[Outcome]:
    return [one for one in outcomes if (one.experiment, one.strategy) == (experiment, strategy)]
