"""What wraps a pattern: BIND, GRAPH ?name, and the modifiers of a sub-select."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from triplewire.evaluation.datasets import GraphName, has_graph
from triplewire.evaluation.expressions.compiler import TermFunction
from triplewire.evaluation.operators import Names, Operator, Seed, compatible, restricted
from triplewire.evaluation.order import Descending, Key, total_key, value_key
from triplewire.evaluation.patterns import QuadMatch
from triplewire.evaluation.work import Bindings, Work
from triplewire.rdf.terms import BlankNode, NamedNode, Term

CANDIDATE = "_:graph/"
_NO_SEED: Seed = {}


class Extended:
    """BIND and `(expression AS ?name)`."""

    def __init__(self, inner: Operator, name: str, expression: TermFunction) -> None:
        self._inner = inner
        self._name = name
        self._expression = expression
        self.variables = inner.variables | {name}
        self.certain = inner.certain

    def solve(self, work: Work, seed: Seed) -> Iterator[Bindings]:
        wanted = seed.get(self._name)
        for solution in self._inner.solve(work, seed):
            term = self._expression(solution, work)
            if term is None:
                yield solution
            elif wanted is None or wanted == term:
                yield {**solution, self._name: term}

    def cost(self, bound: Names) -> float:
        return self._inner.cost(bound)


class EachGraph:
    """`GRAPH ?name`. Graphs are looked for with the patterns that each of them has to match."""

    def __init__(self, name: str, inner: Operator, required: Sequence[QuadMatch]) -> None:
        self._name = name
        self._inner = inner
        self._required = tuple(required)
        self.variables = inner.variables | {name}
        self.certain = inner.certain | {name}

    def solve(self, work: Work, seed: Seed) -> Iterator[Bindings]:
        name = self._name
        for graph in self._graphs(work, seed):
            for solution in self._inner.solve(work.within(graph), {**seed, name: graph}):
                yield {**solution, name: graph}

    def _graphs(self, work: Work, seed: Seed) -> Iterable[GraphName]:
        term = seed.get(self._name)
        if term is not None:
            is_graph = isinstance(term, NamedNode | BlankNode) and has_graph(work.dataset, term)
            return (term,) if is_graph else ()  # type: ignore[return-value]
        if not self._required:
            return list(work.dataset.named_graphs())
        bound = frozenset(seed)
        first = min(self._required, key=lambda pattern: pattern.cost(bound))
        found: dict[Term, None] = {match[CANDIDATE]: None for match in first.solve(work, seed)}
        return found  # type: ignore[return-value]

    def cost(self, bound: Names) -> float:
        return self._inner.cost(bound)


class Projected:
    """What a sub-select shows."""

    def __init__(self, inner: Operator, names: Sequence[str]) -> None:
        self._inner = inner
        self._names = frozenset(names)
        self.variables = inner.variables & self._names
        self.certain = inner.certain & self._names

    def solve(self, work: Work, seed: Seed) -> Iterator[Bindings]:
        names = self._names
        if work.outer:
            work = work.around(restricted(work.outer, names))
        for solution in self._inner.solve(work, restricted(seed, names)):
            yield {name: term for name, term in solution.items() if name in names}

    def cost(self, bound: Names) -> float:
        return self._inner.cost(bound & self._names)


class DistinctOnly:
    """DISTINCT."""

    def __init__(self, inner: Operator) -> None:
        self._inner = inner
        self._order = tuple(sorted(inner.variables))
        self.variables, self.certain = inner.variables, inner.certain

    def solve(self, work: Work, seed: Seed) -> Iterator[Bindings]:
        seen: set[tuple[Term | None, ...]] = set()
        for solution in self._inner.solve(work, seed):
            row = tuple([solution.get(name) for name in self._order])
            if row not in seen:
                work.budget.spend()
                seen.add(row)
                yield solution

    def cost(self, bound: Names) -> float:
        return self._inner.cost(bound)


class RowOrder:
    """The keys of ORDER BY, and after them the terms of what is shown, so that the order is total."""

    def __init__(self, keys: Sequence[tuple[TermFunction, bool]], names: Iterable[str]) -> None:
        self._keys = tuple(keys)
        self._names = tuple(sorted(names))

    def key(self, solution: Bindings, work: Work) -> Key:
        keys: list[object] = []
        for expression, descending in self._keys:
            found = value_key(expression(solution, work))
            keys.append(Descending(found) if descending else found)
        keys += [total_key(solution.get(name)) for name in self._names]
        return tuple(keys)


class Ordered:
    """ORDER BY; only where something depends on the order."""

    def __init__(self, inner: Operator, order: RowOrder) -> None:
        self._inner = inner
        self._order = order
        self.variables, self.certain = inner.variables, inner.certain

    def solve(self, work: Work, seed: Seed) -> Iterator[Bindings]:
        return iter(sorted(self._inner.solve(work, seed), key=lambda solution: self._order.key(solution, work)))

    def cost(self, bound: Names) -> float:
        return self._inner.cost(bound)


class Sliced:
    """OFFSET and LIMIT. What they leave depends on all solutions, so a seed helps nothing."""

    def __init__(self, inner: Operator, offset: int, limit: int | None) -> None:
        self._inner = inner
        self._offset = offset
        self._end = None if limit is None else offset + limit
        self.variables, self.certain = inner.variables, inner.certain

    def solve(self, work: Work, seed: Seed) -> Iterator[Bindings]:
        rows = list(self._inner.solve(work, _NO_SEED))[self._offset : self._end]
        return (row for row in rows if compatible(row, seed))

    def cost(self, bound: Names) -> float:
        return self._inner.cost(frozenset())
