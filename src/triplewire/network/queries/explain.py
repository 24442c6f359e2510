"""What a query over the space will fetch, in which order, what prunes and what does not.

`explain` gives a struct, `str` of it is plain text. Where zones are given, each step says how many of them it touches,
as far as constants and filters decide it; values that earlier steps find can only make them fewer.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from triplewire.algebra.patterns import Variable
from triplewire.languages.sparql.parsing.parser import parse_query
from triplewire.network.can.geometry.space import ANY, Box, Dimension, Interval, Zone
from triplewire.network.queries.bounds.intervals import Intervals
from triplewire.network.queries.bounds.regions import boxes_of, simplified
from triplewire.network.queries.bounds.spellings import BLANK_NODES, IRIS, LITERALS, NUMBERS, NUMERALS, TRIPLE_TERMS
from triplewire.network.queries.ordering import in_order
from triplewire.network.queries.planning.planner import steps_of
from triplewire.network.queries.planning.steps import Reason, Step

_SHOWN = 3
_MOST_BOXES = 2_000
_NAMES = {
    IRIS: "any IRI",
    LITERALS: "any literal",
    BLANK_NODES: "any blank node",
    TRIPLE_TERMS: "any triple term",
    IRIS | BLANK_NODES: "any IRI or blank node",
    NUMERALS: "any literal that begins like a number",
    NUMBERS: "any literal that may be a number",
}


class ExplainedStep(Struct, frozen=True):
    """One step: the pattern, why it is fetched, its bounds by dimension, and the variables whose values others give.

    `zones` is how many zones it touches at most, None where no zones were given.
    """

    pattern: str
    reason: str
    bounds: dict[str, str]
    carried: dict[str, tuple[int, ...]]
    remarks: tuple[str, ...]
    zones: int | None = None


class Explanation(Struct, frozen=True):
    """The steps of a query in the order in which they are fetched, and how many zones there are."""

    steps: tuple[ExplainedStep, ...]
    zones: int | None = None

    def __str__(self) -> str:
        if not self.steps:
            return "nothing is fetched: the query asks nothing of the data"
        return "\n".join(line for at, step in enumerate(self.steps, 1) for line in self._lines(at, step))

    def _lines(self, at: int, step: ExplainedStep) -> list[str]:
        touched = "" if step.zones is None else f": touches at most {step.zones} of {self.zones} zones"
        purpose = "" if step.reason == Reason.PATTERN.value else f" ({step.reason})"
        lines = [f"{at}. {step.pattern}{purpose}{touched}"]
        lines += [f"     {name}: {bounds}" for name, bounds in step.bounds.items()]
        lines += [f"     values of {name} from step {_listed(givers)}" for name, givers in step.carried.items()]
        if not step.bounds and not step.carried:
            lines.append(
                "     everything is fetched: no constant, prefix or range bounds it, and no values of earlier steps"
            )
        return lines + [f"     ! {remark}" for remark in step.remarks]


def explain(text: str, zones: Sequence[Zone] | None = None) -> Explanation:
    """Explain a query, over the zones of a tiling if they are known."""
    steps = in_order(steps_of(parse_query(text)))
    numbers = {id(step): at for at, step in enumerate(steps, 1)}
    found = tuple(_explained(step, numbers, zones) for step in steps)
    return Explanation(found, None if zones is None else len(zones))


def touched(boxes: Sequence[Box], zones: Sequence[Zone]) -> list[Zone]:
    """The zones that some boxes touch."""
    return [zone for zone in zones if any(box.touches(zone) for box in boxes)]


def _explained(step: Step, numbers: dict[int, int], zones: Sequence[Zone] | None) -> ExplainedStep:
    region = tuple(step.bounds(dimension) for dimension in Dimension)
    shown = {
        dimension.name.lower(): readable(side)
        for dimension, side in zip(Dimension, region, strict=True)
        if not side.is_everything
    }
    carried = _carried(step, numbers)
    return ExplainedStep(
        step.text,
        step.reason.value,
        shown,
        carried,
        _remarks(step, carried),
        None if zones is None else len(touched(boxes_of(simplified(region, _MOST_BOXES)), zones)),
    )


def _carried(step: Step, numbers: dict[int, int]) -> dict[str, tuple[int, ...]]:
    """The variables whose values earlier steps give, with the numbers of those steps."""
    found: dict[str, tuple[int, ...]] = {}
    for _, variable in step.variables:
        earlier = sorted(numbers[id(giver)] for giver, _ in step.scope.givers(variable))
        earlier = [number for number in earlier if number < numbers[id(step)]]
        if earlier:
            found[_name(variable)] = tuple(earlier)
    return found


def _remarks(step: Step, carried: dict[str, tuple[int, ...]]) -> tuple[str, ...]:
    found = list(step.remarks)
    for dimension, variable in step.variables:
        found += [remark.text for remark in step.scope.remarks(variable)]
        is_open = step.bounds(dimension).is_everything and _name(variable) not in carried
        if is_open and dimension is not Dimension.GRAPH:
            found.append(f"{_name(variable)} is not bound yet, so the {dimension.name.lower()} does not prune")
    return tuple(dict.fromkeys(found))


def _name(variable: Variable) -> str:
    return "a node on the way" if variable.name.startswith("_:.") else str(variable)


def readable(bounds: Intervals) -> str:
    """Bounds in words.

    >>> from triplewire.network.can.geometry.space import exactly, starting_with
    >>> from triplewire.network.queries.bounds.intervals import union_of
    >>> readable(union_of([exactly(b"<urn:a>"), starting_with(b"<http:")]))
    'begins with <http:, or is <urn:a>'
    """
    if bounds in _NAMES:
        return _NAMES[bounds]
    if not bounds.parts:
        return "nothing"
    shown = [_interval(part) for part in bounds.parts[:_SHOWN]]
    rest = len(bounds) - len(shown)
    return ", or ".join(shown) + (f", or one of {rest:,} more intervals" if rest else "")


def _interval(part: Interval) -> str:
    for name, text in _NAMES.items():
        if name.parts == (part,):
            return f"is {text}"
    if part.upper == part.lower + b"\0":
        return f"is {_text(part.lower)}"
    if part.upper is not None and part == Interval(part.lower, part.lower[:-1] + bytes([part.lower[-1] + 1])):
        return f"begins with {_text(part.lower)}"
    upper = "" if part.upper is None else f" and below {_text(part.upper)}"
    return f"is at least {_text(part.lower)}{upper}" if part != ANY else "is anything"


def _text(value: bytes) -> str:
    return value.decode(errors="backslashreplace")


def _listed(numbers: tuple[int, ...]) -> str:
    return ", ".join(map(str, numbers))
