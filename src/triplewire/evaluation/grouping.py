"""GROUP BY: which group a solution is in, and what a group says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from triplewire.evaluation.aggregates import Accumulator, accumulator, keeps_values
from triplewire.evaluation.expressions.compiler import TermFunction
from triplewire.evaluation.operators import Names, Operator, Seed, compatible, restricted
from triplewire.evaluation.work import Bindings, Work
from triplewire.languages.sparql.syntax import ast
from triplewire.rdf.terms import BlankNode, Term

GroupKey = tuple[Term | None, ...]


class Aggregated(Struct, frozen=True):
    """An aggregate, the variable that it is bound to, and its argument; no argument means the whole solution."""

    name: str
    aggregate: ast.Aggregate
    argument: TermFunction | None

    def value(self, solution: Bindings, work: Work) -> Term | None:
        """What the solution adds to the aggregate. A whole solution becomes one term that stands for it."""
        if self.argument is not None:
            return self.argument(solution, work)
        if not self.aggregate.distinct:
            return _ANY
        seen = sorted((name, str(term)) for name, term in solution.items() if not name.startswith("_:"))
        return BlankNode(str(seen).encode().hex() or "0")


_ANY = BlankNode("any")


class Grouped:
    """One group: how many solutions are in it, and its aggregates."""

    __slots__ = ("accumulators", "size")

    def __init__(self, aggregates: Sequence[Aggregated]) -> None:
        self.size = 0
        self.accumulators: list[Accumulator] = [accumulator(aggregated.aggregate) for aggregated in aggregates]


class Grouping:
    """The keys and aggregates of a Group."""

    def __init__(self, keys: Sequence[tuple[str, TermFunction]], aggregates: Sequence[Aggregated]) -> None:
        self._names = tuple(name for name, _ in keys)
        self._keys = tuple(key for _, key in keys)
        self._aggregates = tuple(aggregates)

    @property
    def is_implicit(self) -> bool:
        """Without keys there is one group, whether or not anything is in it."""
        return not self._names

    @property
    def keeps_values(self) -> bool:
        """Whether some aggregate cannot do with totals."""
        return any(keeps_values(aggregated.aggregate) for aggregated in self._aggregates)

    def key(self, solution: Bindings, work: Work) -> GroupKey:
        return tuple([key(solution, work) for key in self._keys])

    def empty(self) -> Grouped:
        return Grouped(self._aggregates)

    def add(self, group: Grouped, solution: Bindings, work: Work) -> None:
        group.size += 1
        for aggregated, values in zip(self._aggregates, group.accumulators, strict=True):
            values.add(aggregated.value(solution, work))

    def remove(self, group: Grouped, solution: Bindings, work: Work) -> None:
        group.size -= 1
        for aggregated, values in zip(self._aggregates, group.accumulators, strict=True):
            values.remove(aggregated.value(solution, work))

    def row(self, key: GroupKey, group: Grouped) -> Bindings | None:
        """What the group says; None if there is no such group."""
        if not group.size and not self.is_implicit:
            return None
        found = {name: term for name, term in zip(self._names, key, strict=True) if term is not None}
        for aggregated, values in zip(self._aggregates, group.accumulators, strict=True):
            term = values.result()
            if term is not None:
                found[aggregated.name] = term
        return found


class GroupAll:
    """A Group. A seed cuts down the groups where it binds a key that is a variable."""

    def __init__(
        self, inner: Operator, grouping: Grouping, plain_keys: Names, variables: Names, certain: Names
    ) -> None:
        self._inner = inner
        self._grouping = grouping
        self._plain_keys = plain_keys
        self.variables, self.certain = variables, certain

    def solve(self, work: Work, seed: Seed) -> Iterator[Bindings]:
        grouping = self._grouping
        groups: dict[GroupKey, Grouped] = {(): grouping.empty()} if grouping.is_implicit else {}
        for solution in self._inner.solve(work, restricted(seed, self._plain_keys)):
            work.budget.spend()
            key = grouping.key(solution, work)
            group = groups.get(key)
            if group is None:
                group = groups[key] = grouping.empty()
            grouping.add(group, solution, work)
        for key, group in groups.items():
            row = grouping.row(key, group)
            if row is not None and compatible(row, seed):
                yield row

    def cost(self, bound: Names) -> float:
        return self._inner.cost(bound & self._plain_keys)
