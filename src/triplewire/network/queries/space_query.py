"""A query over the whole space, as a machine without I/O: it asks for quadruples, gets them, and is then evaluated.

    run = SpaceQuery(text)
    while isinstance(wanted := run.next(), Fetch):
        for page in ...:  # of the quadruples in wanted.boxes, in any order
            run.supply(page.quads, page.is_last)
    media_type, content = run.evaluate("application/sparql-results+json")

The values that a step found for a variable bound the steps after it (a semi-join), as long as they are few. The answer
is that of one store with all the data, since every quadruple that can matter is fetched.

Error handling: what a zone sends beside what it was asked for is dropped. A query that would fetch more than is allowed
ends with LimitExceeded, which says which pattern fetched how much.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from msgspec import Struct

from triplewire.algebra.patterns import Variable
from triplewire.errors import InputError, LimitExceeded
from triplewire.languages.sparql.lowering.balanced_trees import balanced
from triplewire.languages.sparql.lowering.oxigraph_limits import check_evaluable
from triplewire.languages.sparql.parsing.parser import parse_query
from triplewire.languages.sparql.printing.printer import print_query
from triplewire.network.can.geometry.space import Bounds, Box, Dimension, Point
from triplewire.network.queries.bounds.intervals import Intervals, union_of
from triplewire.network.queries.bounds.regions import Region, boxes_of, hull_of, points_in, simplified
from triplewire.network.queries.bounds.spellings import spellings
from triplewire.network.queries.evaluation import evaluate
from triplewire.network.queries.ordering import in_order
from triplewire.network.queries.planning.planner import steps_of
from triplewire.network.queries.planning.steps import Step

MIB = 1 << 20


class SpaceQueryLimits(Struct, frozen=True):
    """What one query may fetch, and how.

    `quads` and `bytes` are what may be fetched in all, `values` how many values of a variable are carried along,
    `boxes` how many a step may ask for and `lot` how many at a time; `result` is how many bytes the result may have.
    """

    quads: int = 1_000_000
    bytes: int = 512 * MIB
    values: int = 1_000
    boxes: int = 2_000
    lot: int = 250
    result: int = 64 * MIB


DEFAULT_LIMITS = SpaceQueryLimits()


class Fetch(Struct, frozen=True):
    """Asks for the quadruples in some boxes, no two of which overlap."""

    boxes: tuple[Bounds, ...]


class Done(Struct, frozen=True):
    """Everything is fetched: evaluate."""


class StepAccount(Struct):
    """What a step did: boxes it asked for, quadruples that were new, and how many values of variables bounded it.

    `zones` is how many zones answered to one of its fetches, at most; `too_many` are variables with too many values.
    """

    text: str
    boxes: int = 0
    zones: int = 0
    fetched: int = 0
    carried: dict[str, int] = {}
    too_many: tuple[str, ...] = ()


class SpaceQuery:
    """One query: `next` and `supply` in turns until it is done, then `evaluate`."""

    def __init__(self, text: str, limits: SpaceQueryLimits = DEFAULT_LIMITS) -> None:
        tree = parse_query(text)
        check_evaluable(tree)
        self.text = print_query(balanced(tree))
        self._limits = limits
        self._steps = in_order(steps_of(tree))
        self._asked = {
            id(giver) for step in self._steps for _, name in step.variables for giver, _ in step.scope.givers(name)
        }
        self._at = -1
        self._fetching: Iterator[tuple[Box, ...]] = iter(())
        self._lot: tuple[Box, ...] = ()
        self._region: Region = ()
        self._asked_for: set[Box] = set()
        self._wide: list[Box] = []
        self._values: dict[tuple[int, Dimension], set[bytes] | None] = {}
        self._bytes = 0
        self.quads: dict[Point, None] = {}
        self.accounts: list[StepAccount] = []

    def next(self) -> Fetch | Done:
        """What is to be fetched next. Asked again before it is supplied, it is the same."""
        while not self._lot:
            lot = next(self._fetching, None)
            if lot is not None:
                self._lot = lot
                self.accounts[-1].boxes += len(lot)
            elif not self._begin_step():
                return Done()
        return Fetch(self._lot)

    def supply(self, quads: Iterable[Point], is_last: bool, zones: int = 0) -> None:
        """A page of what `next` asked for, the last of it or not, and how many zones it came from."""
        page = list(points_in(quads, self._region))
        account = self.accounts[-1]
        account.zones = max(account.zones, zones)
        for point in page:
            if point not in self.quads:
                self.quads[point] = None
                self._bytes += sum(map(len, point))
                account.fetched += 1
        self._note_values(page)
        self._check_limits()
        if is_last:
            self._lot = ()

    def evaluate(self, media_type: str) -> tuple[str, bytes]:
        """The media type and the content of the answer, over what was fetched."""
        kind, *content = evaluate(self.quads, self.text, media_type, self._limits.result)
        if kind == "refused":
            raise InputError(content[0])
        found, data = content
        return found, data

    # Steps

    def _begin_step(self) -> bool:
        self._at += 1
        if self._at == len(self._steps):
            self._at -= 1
            return False
        step = self._steps[self._at]
        account = StepAccount(step.text)
        self.accounts.append(account)
        region = tuple(self._bounds(step, dimension, account) for dimension in Dimension)
        self._region = simplified(region, self._limits.boxes)
        for dimension, _ in step.variables:
            self._values[id(step), dimension] = set()
        boxes = boxes_of(self._region)
        fresh = self._not_fetched(boxes)
        if len(fresh) < len(boxes):
            self._note_values(points_in(self.quads, self._region))
        self._fetching = _lots(fresh, self._limits.lot)
        return True

    def _bounds(self, step: Step, dimension: Dimension, account: StepAccount) -> Intervals:
        """What is known about a dimension by now: by constants and filters, and by values of earlier steps."""
        variable = step.positions[dimension]
        if not isinstance(variable, Variable):
            return step.bounds(dimension)
        given = list(self._given(step, variable))
        known = [values for values in given if values is not None]
        if not known:
            account.too_many = (*account.too_many, *[str(variable)][: len(given)])
            return step.bounds(dimension)
        # One step's values are enough: each step was bounded by those before it.
        fewest = min(known, key=len)
        account.carried[str(variable)] = len(fewest)
        return step.bounds(dimension) & union_of(part for value in fewest for part in spellings(value).parts)

    def _given(self, step: Step, variable: Variable) -> Iterator[set[bytes] | None]:
        """The values of a variable that each earlier step found, None for too many."""
        for giver, name in step.scope.givers(variable):
            for dimension, other in giver.variables:
                if giver is not step and other == name and (id(giver), dimension) in self._values:
                    yield self._values[id(giver), dimension]

    def _note_values(self, points: Iterable[Point]) -> None:
        """Keep the values of variables that other steps ask for, as long as they are few."""
        step = self._steps[self._at]
        wanted = [at for at, _ in step.variables if self._values[id(step), at] is not None]
        if id(step) not in self._asked or not wanted:
            return
        for point in points:
            for at in wanted:
                values = self._values[id(step), at]
                if values is not None:
                    values.add(point[at])
                    if len(values) > self._limits.values:
                        self._values[id(step), at] = None

    def _not_fetched(self, boxes: list[Box]) -> list[Box]:
        """Those of a step's boxes that nobody has asked for. Of many, only the very same ones are found again."""
        hull = hull_of(self._region)
        if hull is not None and any(wide.encloses(hull) for wide in self._wide):
            return []
        fresh = [box for box in boxes if box not in self._asked_for]
        self._asked_for.update(fresh)
        if len(boxes) == 1 and len(self._wide) < _MOST_WIDE:
            self._wide += fresh
        return fresh

    def _check_limits(self) -> None:
        for name, found, allowed in (
            ("quads", len(self.quads), self._limits.quads),
            ("bytes", self._bytes, self._limits.bytes),
        ):
            if found > allowed:
                raise LimitExceeded(
                    name,
                    allowed,
                    wanted=f"a query that fetches at most {allowed:,} {name} of quadruples",
                    found="; ".join(
                        f"{one.fetched:,} quadruples for {one.text}" for one in self.accounts if one.fetched
                    ),
                    hint=f"bound {self.accounts[-1].text} by a constant, a prefix, or a pattern with few matches",
                )


# Each step compares its bounds with so many boxes.
_MOST_WIDE = 100


def _lots(boxes: Sequence[Box], size: int) -> Iterator[tuple[Box, ...]]:
    waiting = iter(boxes)
    while lot := tuple(islice(waiting, size)):
        yield lot
