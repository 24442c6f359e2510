"""One evaluation under way: what it asks, how much it may do, and when it is."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from secrets import token_hex

from triplewire.errors import BudgetExceeded
from triplewire.evaluation.datasets import DEFAULT_GRAPH, Dataset, Graph
from triplewire.rdf.terms import XSD, DefaultGraph, Literal, Term

Bindings = dict[str, Term]

DEFAULT_STEPS = 10_000_000
_NOTHING: Mapping[str, Term] = {}


class Budget:
    """Steps that may be taken: quads looked at, and solutions made. `left` is counted down where it is spent."""

    __slots__ = ("allowed", "left")

    def __init__(self, allowed: int = DEFAULT_STEPS) -> None:
        self.allowed = allowed
        self.left = allowed

    @property
    def spent(self) -> int:
        return self.allowed - self.left

    def spend(self, steps: int = 1) -> None:
        self.left -= steps
        if self.left < 0:
            self.exceed()

    def exceed(self) -> None:
        raise BudgetExceeded(
            "the query is too much work", wanted=f"at most {self.allowed:,} steps", found="more than that"
        )


class Moment:
    """What NOW() says, and what makes random values differ from one evaluation to another.

    The literal is made when it is asked for: most evaluations never ask.
    """

    __slots__ = ("_literal", "_time", "salt")

    def __init__(self, time: float, salt: str = "") -> None:
        self._time = time
        self._literal: Literal | None = None
        self.salt = salt

    @classmethod
    def current(cls) -> Moment:
        """This moment, unlike any other."""
        return cls(datetime.now(UTC).timestamp(), token_hex(16))

    @classmethod
    def at(cls, time: float, salt: str = "") -> Moment:
        """A time in seconds since 1970."""
        return cls(time, salt)

    @property
    def now(self) -> Literal:
        if self._literal is None:
            text = datetime.fromtimestamp(self._time, UTC).isoformat().replace("+00:00", "Z")
            self._literal = Literal(text, datatype=XSD["dateTime"])
        return self._literal


class Work:
    """Handed through an evaluation.

    `graph` is the active graph, `outer` the solution around an EXISTS, `constants` are those of the parameters.
    """

    __slots__ = ("budget", "constants", "dataset", "graph", "moment", "outer")

    def __init__(
        self,
        dataset: Dataset,
        budget: Budget,
        moment: Moment,
        graph: Graph = DEFAULT_GRAPH,
        outer: Mapping[str, Term] = _NOTHING,
        constants: tuple[Term, ...] = (),
    ) -> None:
        self.dataset = dataset
        self.budget = budget
        self.moment = moment
        self.graph: Graph | DefaultGraph = graph
        self.outer = outer
        self.constants = constants

    def within(self, graph: Graph) -> Work:
        """The same, with another active graph."""
        return Work(self.dataset, self.budget, self.moment, graph, self.outer, self.constants)

    def around(self, outer: Mapping[str, Term]) -> Work:
        """The same, with another solution around it."""
        return Work(self.dataset, self.budget, self.moment, self.graph, outer, self.constants)
