"""How much a run measures."""

from __future__ import annotations

from msgspec import Struct

from benchmarks.rules.workload import items_for


class Plan(Struct, frozen=True):
    """How much is measured. `kept` rules are on the disk; so many durable updates are `waiting` at a time."""

    triples: int
    sizes: tuple[int, ...]
    updates: int
    rounds: int
    depth: int
    analysed: tuple[int, ...]
    kept: int
    waiting: int

    @property
    def updated_items(self) -> range:
        """The items that no rule waits for by name."""
        return range(max(*self.sizes, self.kept), items_for(self.triples))
