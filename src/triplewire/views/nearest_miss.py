"""What comes closest to an answer where a query has none over a dataset: one sentence.

>>> from pyoxigraph import Store
>>> from triplewire.languages.sparql.parsing.parser import parse_dataset_query
>>> from triplewire.evaluation.datasets import OxigraphDataset
>>> store = Store()
>>> store.update("INSERT DATA { <urn:a> <urn:p> <urn:b> }")
>>> nearest_miss(parse_dataset_query("SELECT * { ?x <urn:p> ?y . ?y <urn:q> ?z }"), OxigraphDataset(store))
'nothing matches ?y <urn:q> ?z'
"""

from __future__ import annotations

from collections.abc import Sequence

from triplewire.errors import BudgetExceeded
from triplewire.evaluation.algebra import nodes
from triplewire.evaluation.algebra.nodes import Node
from triplewire.evaluation.algebra.variables import possible
from triplewire.evaluation.compilation import Compilation
from triplewire.evaluation.datasets import Dataset
from triplewire.evaluation.forms import AnyQuery, form_of
from triplewire.evaluation.work import Budget, Moment, Work
from triplewire.views.explanation import pattern_text

_STEPS = 1_000_000
_UNKNOWN = "what comes closest is too much work to find"


def nearest_miss(query: AnyQuery, dataset: Dataset, time: float = 0.0, steps: int = _STEPS) -> str:
    """Why there is no solution, as far as single patterns, and those before them, tell."""
    form = form_of(query)
    work = Work(form.dataset(dataset), Budget(steps), Moment.at(time))
    try:
        missed = _Search(work).missed(form.wrapped)
    except (BudgetExceeded, RecursionError):
        return _UNKNOWN
    return missed or "there are solutions, but LIMIT, OFFSET or the template leaves nothing of them"


class _Search:
    def __init__(self, work: Work) -> None:
        self._work = work
        self._compilation = Compilation()

    def missed(self, node: Node) -> str | None:
        """Why a node has no solution; None if it has one."""
        if any(True for _ in self._compilation.operator(node).solve(self._work, {})):
            return None
        if isinstance(node, nodes.Join):
            return self._in_join(node.parts)
        if isinstance(node, nodes.Union):
            return "; and ".join(dict.fromkeys(filter(None, map(self.missed, node.branches))))
        if isinstance(node, nodes.Filter):
            return self.missed(node.inner) or "a FILTER or HAVING holds for none of the solutions"
        if isinstance(node, nodes.Minus):
            return self.missed(node.left) or "MINUS leaves out every solution"
        if isinstance(node, nodes.LeftJoin):
            return self.missed(node.left)
        if isinstance(node, nodes.Extend | nodes.OrderBy | nodes.Project | nodes.Distinct | nodes.Slice | nodes.Group):
            return self.missed(node.inner) or "LIMIT or OFFSET leaves no solution"
        if isinstance(node, nodes.Table):
            return "VALUES has no row"
        if isinstance(node, nodes.GraphEach):
            return f"no named graph has a solution of what is asked within {node.name}"
        return f"nothing matches {pattern_text(node)}"

    def _in_join(self, parts: Sequence[Node]) -> str:
        alone = next((missed for part in parts if (missed := self.missed(part)) is not None), None)
        if alone is not None:
            return alone
        ordered = _connected(parts)
        for size in range(2, len(ordered) + 1):
            joined = nodes.Join(tuple(ordered[:size]))
            if not any(True for _ in self._compilation.operator(joined).solve(self._work, {})):
                before = " . ".join(map(_text, ordered[: size - 1]))
                return f"nothing matches {_text(ordered[size - 1])} together with {before}"
        return "a FILTER holds for none of the solutions"


def _connected(parts: Sequence[Node]) -> list[Node]:
    """In the order of the text, but each next to one that it shares a variable with, if there is one."""
    left, ordered = list(parts), []
    known: set[str] = set()
    while left:
        part = next((part for part in left if known & possible(part)), left[0])
        left.remove(part)
        ordered.append(part)
        known |= possible(part)
    return ordered


def _text(node: Node) -> str:
    return pattern_text(node) if isinstance(node, nodes.Leaf) else f"{{ {_kind(node)} }}"


def _kind(node: Node) -> str:
    names = {nodes.Union: "UNION", nodes.LeftJoin: "OPTIONAL", nodes.Table: "VALUES", nodes.GraphEach: "GRAPH"}
    return names.get(type(node), "…")
