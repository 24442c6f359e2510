"""Groups that are kept, and changed by the solutions that come and go."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from triplewire.evaluation.grouping import Grouped, Grouping, GroupKey
from triplewire.evaluation.operators import Names, Operator, Seed, compatible
from triplewire.evaluation.work import Bindings, Work


class GroupStage:
    """From solutions of a pattern to rows of groups."""

    def __init__(self, grouping: Grouping) -> None:
        self._grouping = grouping
        self._groups: dict[GroupKey, Grouped] = {}
        self._solutions = 0

    def __len__(self) -> int:
        return len(self._groups)

    @property
    def size(self) -> int:
        """How much is kept: groups, and the values in them where an aggregate needs them again."""
        return len(self._groups) + (self._solutions if self._grouping.keeps_values else 0)

    def start(self, solutions: Iterable[Bindings], work: Work) -> list[Bindings]:
        """The rows, from nothing."""
        self._groups = {(): self._grouping.empty()} if self._grouping.is_implicit else {}
        self._solutions = 0
        for solution in solutions:
            work.budget.spend()
            self._solutions += 1
            self._grouping.add(self._group(self._grouping.key(solution, work)), solution, work)
        return [row for key, group in self._groups.items() if (row := self._grouping.row(key, group)) is not None]

    def change(
        self, added: list[Bindings], removed: list[Bindings], work: Work
    ) -> tuple[list[Bindings], list[Bindings]]:
        """The rows that groups have now, and those that they had."""
        grouping = self._grouping
        self._solutions += len(added) - len(removed)
        coming = [(grouping.key(solution, work), solution) for solution in added]
        going = [(grouping.key(solution, work), solution) for solution in removed]
        touched = dict.fromkeys(key for key, _ in (*coming, *going))
        before = {key: grouping.row(key, self._group(key)) for key in touched}
        for key, solution in coming:
            grouping.add(self._group(key), solution, work)
        for key, solution in going:
            grouping.remove(self._group(key), solution, work)
        after = {key: grouping.row(key, self._group(key)) for key in touched}
        for key in touched:
            if not self._groups[key].size and not grouping.is_implicit:
                del self._groups[key]
        changed = [key for key in touched if before[key] != after[key]]
        return _rows(after, changed), _rows(before, changed)

    def _group(self, key: GroupKey) -> Grouped:
        group = self._groups.get(key)
        if group is None:
            group = self._groups[key] = self._grouping.empty()
        return group


def _rows(rows: dict[GroupKey, Bindings | None], keys: Iterable[GroupKey]) -> list[Bindings]:
    return [row for key in keys if (row := rows[key]) is not None]


class GivenRows:
    """Stands where a Group stood: HAVING, VALUES and SELECT's expressions are evaluated over rows that are given."""

    def __init__(self, variables: Names, certain: Names) -> None:
        self.variables, self.certain = variables, certain
        self.rows: list[Bindings] = []

    def solve(self, work: Work, seed: Seed) -> Iterator[Bindings]:
        return (row for row in self.rows if compatible(row, seed))

    def cost(self, bound: Names) -> float:
        return float(len(self.rows))


class RowStage:
    """What stands around a Group, row by row."""

    def __init__(self, source: GivenRows, operator: Operator) -> None:
        self._source = source
        self._operator = operator

    def rows(self, given: list[Bindings], work: Work) -> list[Bindings]:
        """The solutions that some rows of groups become."""
        self._source.rows = given
        return list(self._operator.solve(work, {}))
