"""How much work could a query make on this event? An upper bound, before anything is evaluated.

Oxigraph cannot be stopped in the middle of a sort, an aggregate or a cross product. So the number of intermediate
bindings is bounded first, from what each pattern matches in the event:

- patterns that share variables: whichever order they are joined in, one of them gives all its matches and each further
  one at most as many per binding as its busiest term has;
- what shares nothing is a cross product; UNION adds; OPTIONAL, MINUS and EXISTS are also evaluated on their own;
- a path with `*` or `+` reaches at most every node from every node that its predicates touch;
- CONCAT, REPLACE and their kin make longer strings: nested, they count like further rows; so do long literals, and
  long durations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import prod

from msgspec import Struct

from triplewire.algebra.patterns import Variable
from triplewire.languages.sparql.syntax import ast
from triplewire.languages.trees import walk
from triplewire.matching.evaluation.event_view import EventView, Row
from triplewire.matching.general.long_durations import duration_weight
from triplewire.rdf.terms import Literal, NamedNode

# How much longer one REPLACE may make a string when its replacement is not a constant.
_UNKNOWN_GROWTH = 1_000
# A literal up to this long counts as one row.
_LIGHT = 1_000


class Matches(Struct, frozen=True):
    """What a pattern matches: how often in all, and how often at most for one term of a variable."""

    rows: int
    variables: frozenset[Variable]
    busiest: dict[Variable, int]


def work_bound(query: ast.SelectQuery | ast.AskQuery, view: EventView) -> int:
    """At most how many intermediate bindings an evaluation makes."""
    walked = _Bound(view)
    rows = walked.group(query.where) * (1 if query.values is None else max(1, len(query.values.rows)))
    tested = prod(max(1, walked.group(inner)) for inner in _exists_groups(_outer_expressions(query)))
    return max(rows * tested, walked.worst) * _growth(query) * _weight(view) * duration_weight(query, view)


class _Bound:
    """Walks groups, each once, and remembers the worst part that is evaluated on its own."""

    def __init__(self, view: EventView) -> None:
        self.view = view
        self.worst = 0
        # A nested group is asked for by every group around it: without these, twice as often with every level.
        self._rows: dict[int, int] = {}
        self._known: dict[int, tuple[list[Matches], list[int]]] = {}

    def group(self, group: ast.Group) -> int:
        """The rows of a group. Filters may only take away, but EXISTS is evaluated for each row."""
        if id(group) not in self._rows:
            self._rows[id(group)] = self._counted(group)
        return self._rows[id(group)]

    def _counted(self, group: ast.Group) -> int:
        patterns, factors = self._parts(group)
        rows = _joined(patterns) * prod(max(1, factor) for factor in factors)
        tested = prod(max(1, self.group(inner)) for inner in _exists_groups(_expressions(group)))
        self.worst = max(self.worst, rows * tested)
        return rows

    def _parts(self, group: ast.Group) -> tuple[list[Matches], list[int]]:
        if id(group) not in self._known:
            self._known[id(group)] = self._collected(group)
        return self._known[id(group)]

    def _collected(self, group: ast.Group) -> tuple[list[Matches], list[int]]:
        patterns: list[Matches] = []
        factors: list[int] = []
        for element in group.elements:
            if isinstance(element, ast.TriplesBlock):
                patterns.extend(_matches(pattern, self.view) for pattern in element.patterns)
            elif isinstance(element, ast.Optional | ast.Graph | ast.Group):
                inner = element if isinstance(element, ast.Group) else element.group
                self.group(inner)
                inner_patterns, inner_factors = self._parts(inner)
                patterns.extend(inner_patterns)
                factors.extend(inner_factors)
            else:
                factors.append(self._factor(element))
        return patterns, factors

    def _factor(self, element: ast.Element) -> int:
        if isinstance(element, ast.Union):
            return sum(self.group(branch) for branch in element.branches)
        if isinstance(element, ast.SubSelect):
            return self.group(element.query.where)
        if isinstance(element, ast.Values):
            return len(element.rows)
        if isinstance(element, ast.Minus):
            self.group(element.group)
        return 1


def _joined(patterns: Sequence[Matches]) -> int:
    """The product over the connected parts."""
    remaining = list(patterns)
    rows = 1
    while remaining:
        part = _connected(remaining)
        remaining = [pattern for pattern in remaining if not any(pattern is taken for taken in part)]
        rows *= _joined_part(part)
    return rows


def _connected(patterns: Sequence[Matches]) -> list[Matches]:
    part = [patterns[0]]
    known = set(patterns[0].variables)
    waiting = list(patterns[1:])
    while found := [pattern for pattern in waiting if known & pattern.variables]:
        part.extend(found)
        known.update(*(pattern.variables for pattern in found))
        waiting = [pattern for pattern in waiting if not any(pattern is taken for taken in found)]
    return part


def _joined_part(part: Sequence[Matches]) -> int:
    """One pattern gives its rows, the others what their busiest term gives: in whichever order."""
    factors = [max(1, _fan_out(pattern, part)) for pattern in part]
    first = max(max(1, -(-pattern.rows // factor)) for pattern, factor in zip(part, factors, strict=True))
    return first * prod(factors)


def _fan_out(pattern: Matches, part: Sequence[Matches]) -> int:
    shared = {v for other in part if other is not pattern for v in other.variables & pattern.variables}
    return max((pattern.busiest[variable] for variable in shared), default=pattern.rows)


def _matches(pattern: ast.TriplePattern, view: EventView) -> Matches:
    ends = {end for end in (pattern.subject, pattern.object) if isinstance(end, Variable)}
    if isinstance(pattern.predicate, Variable | NamedNode):
        return _triple_matches(pattern, view)
    rows, reached = _path_rows(pattern.predicate, view)
    if pattern.subject == pattern.object:
        # From a node to itself: every node may do that.
        rows = reached = max(reached, len(view.nodes))
    elif len(ends) < 2:
        rows = min(rows, reached)
    return Matches(rows, frozenset(ends), dict.fromkeys(ends, min(rows, reached)))


def _triple_matches(pattern: ast.TriplePattern, view: EventView) -> Matches:
    terms = (pattern.subject, pattern.predicate, pattern.object)
    fixed = [None if isinstance(term, Variable) else term for term in terms]
    found = view.matching((fixed[0], fixed[1], fixed[2]))  # type: ignore[arg-type]
    busiest: dict[Variable, int] = {}
    for place, term in enumerate(terms):
        if isinstance(term, Variable):
            busiest[term] = max(busiest.get(term, 0), _busiest(found, place))
    return Matches(len(found), frozenset(busiest), busiest)


def _busiest(rows: Sequence[Row], place: int) -> int:
    return max(Counter(row[place] for row in rows).values(), default=0)


def _path_rows(path: ast.Path, view: EventView) -> tuple[int, int]:
    """How many pairs a path connects at most, and how many nodes it reaches from one."""
    if isinstance(path, NamedNode):
        count = len(view.matching((None, path, None)))
        return count, count
    if isinstance(path, ast.NegatedSet):
        return len(view.rows), len(view.rows)
    if isinstance(path, ast.Inverse):
        return _path_rows(path.path, view)
    if isinstance(path, ast.Sequence | ast.Alternative):
        return _composed_rows(path, view)
    touched = min(2 * _path_rows(path.path, view)[0], len(view.nodes))
    return touched**2 + len(view.nodes), touched + 1


def _composed_rows(path: ast.Sequence | ast.Alternative, view: EventView) -> tuple[int, int]:
    combined, parts = (prod, path.steps) if isinstance(path, ast.Sequence) else (sum, path.choices)
    rows, reached = zip(*(_path_rows(part, view) for part in parts), strict=True)
    return combined(rows), combined(reached)


def _outer_expressions(query: ast.SelectQuery | ast.AskQuery) -> tuple[object, ...]:
    return (query.modifiers, query.projection if isinstance(query, ast.SelectQuery) else None)


def _expressions(group: ast.Group) -> tuple[ast.Expression, ...]:
    filters = tuple(element.condition for element in group.elements if isinstance(element, ast.Filter))
    return filters + tuple(element.expression for element in group.elements if isinstance(element, ast.Bind))


def _exists_groups(node: object) -> Iterator[ast.Group]:
    return (found.group for found in walk(node) if isinstance(found, ast.Exists | ast.NotExists))


def _weight(view: EventView) -> int:
    """A row copies its literals, so long ones count more."""
    longest = max((len(obj.value) for _, _, obj in view.rows if isinstance(obj, Literal)), default=0)
    return max(1, longest // _LIGHT)


def _growth(query: ast.Query) -> int:
    """How many times longer the query's functions may make a string."""
    return prod(_call_growth(node) for node in walk(query) if isinstance(node, ast.BuiltIn))


def _call_growth(call: ast.BuiltIn) -> int:
    if call.name == "CONCAT":
        return max(1, len(call.arguments))
    if call.name == "ENCODE_FOR_URI":
        return 3
    if call.name == "REPLACE":
        replacement = call.arguments[2]
        return max(1, len(replacement.value)) if isinstance(replacement, Literal) else _UNKNOWN_GROWTH
    return 1
