"""A step: one pattern of a query, and where the quadruples may lie that it can match."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from msgspec import Struct

from triplewire.algebra.patterns import Variable
from triplewire.network.can.geometry.space import Dimension
from triplewire.network.queries.bounds.intervals import EVERYTHING, Intervals
from triplewire.network.queries.bounds.spellings import BLANK_NODES, IRIS, spellings_of
from triplewire.network.queries.planning.scopes import Scope
from triplewire.rdf.terms import Literal, NamedNode

Position = Variable | NamedNode | Literal | None
"""What stands at a position of a pattern; None is anything."""

# What can stand in a dimension at all.
_POSSIBLE = (IRIS, IRIS | BLANK_NODES, IRIS, EVERYTHING)


class Reason(Enum):
    """Why a step is fetched."""

    PATTERN = "pattern"
    PATH = "part of a path"
    NODES = "nodes of a path of no length"
    GRAPHS = "names of graphs"


class Step(Struct, frozen=True, eq=False):
    """One pattern: its graph, subject, predicate and object, as text, and where it stands.

    `gives_values` if every solution in its scope has a match of it, so that the values of its variables bound others.
    """

    positions: tuple[Position, Position, Position, Position]
    text: str
    scope: Scope
    reason: Reason
    gives_values: bool
    remarks: tuple[str, ...] = ()

    @property
    def variables(self) -> Iterator[tuple[Dimension, Variable]]:
        """The variables, with where they stand."""
        for dimension, position in zip(Dimension, self.positions, strict=True):
            if isinstance(position, Variable):
                yield dimension, position

    def bounds(self, dimension: Dimension) -> Intervals:
        """What constants and filters say about a dimension."""
        position = self.positions[dimension]
        if isinstance(position, NamedNode | Literal):
            return spellings_of(position) & _POSSIBLE[dimension]
        if position is None:
            return EVERYTHING
        found = self.scope.bounds(position)
        return found if found.is_everything else found & _POSSIBLE[dimension]
