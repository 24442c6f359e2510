"""A case: which workload, how large, by which seed. Small enough to send to another process."""

from __future__ import annotations

from msgspec import Struct

from triplewire import Taxonomy
from triplewire.testing import workloads
from triplewire.testing.workloads import Workload


class Case(Struct, frozen=True):
    """`workload` is the name of a generator in `triplewire.testing.workloads`."""

    workload: str
    subscriptions: int
    events: int
    seed: int = 1
    matches_per_event: float = 1.0

    def make(self) -> Workload:
        """The same streams in every process."""
        generator = getattr(workloads, self.workload)
        return generator(self.subscriptions, self.events, self.seed, self.matches_per_event)  # type: ignore[no-any-return]

    def __str__(self) -> str:
        return f"{self.workload}, {short(self.subscriptions)}"


def taxonomy_of(workload: Workload) -> Taxonomy | None:
    """The taxonomy that a workload's subscriptions refer to."""
    return None if workload.taxonomy is None else Taxonomy.parse(workload.taxonomy)


def short(number: int) -> str:
    """
    >>> short(1_000_000), short(10_000), short(50)
    ('1M', '10k', '50')
    """
    for unit, letter in ((1_000_000, "M"), (1_000, "k")):
        if number >= unit and number % unit == 0:
            return f"{number // unit}{letter}"
    return str(number)
