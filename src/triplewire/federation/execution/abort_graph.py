"""One super-peer's part of the abort graph (section 3.2).

It is built step by step with each new subtransaction Tm at SPj of a transaction Tn at SPi:

ParentChild  an arc Tn -> Tm at SPi, which is told of Tm and where it is
ChildParent  an arc Tm -> Tn at SPj, which is told of Tn and where it is
Mutual       both
Independent  none

An arc says: if the one aborts, so does the other.
"""

from __future__ import annotations

from collections.abc import Iterable


class AbortGraph:
    """The arcs that begin at units of this super-peer."""

    def __init__(self) -> None:
        self._arcs: dict[str, dict[str, None]] = {}

    def add(self, unit: str, other: str) -> None:
        """If the unit aborts, so does the other one, wherever it is."""
        self._arcs.setdefault(unit, {})[other] = None

    def after(self, unit: str) -> tuple[str, ...]:
        """Those that abort with a unit."""
        return tuple(self._arcs.get(unit, ()))

    def forget(self, units: Iterable[str]) -> None:
        """These are decided, and nobody will abort them any more."""
        for unit in units:
            self._arcs.pop(unit, None)

    @property
    def arcs(self) -> tuple[tuple[str, str], ...]:
        """All arcs, in the order in which they came."""
        return tuple((unit, other) for unit, others in self._arcs.items() for other in others)
