"""What a change adds to the solutions of a pattern and removes from them.

Solutions that extend a seed are found after the change and before it, and compared as multisets. Where a pattern is
nothing but quads joined under conditions, each solution stands on quads that are there once: what an added quad leads
to after the change is new, and what a removed one led to before it is gone, so that each is looked at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from triplewire.evaluation.algebra import nodes
from triplewire.evaluation.algebra.variables import possible
from triplewire.evaluation.operators import Operator
from triplewire.evaluation.work import Bindings, Work
from triplewire.languages.trees import walk
from triplewire.rdf.terms import NamedNode, Quad, Term
from triplewire.views.maintenance.leaves import Leaf, leaves_of
from triplewire.views.maintenance.seeds import LeafSeeds, Seeds

Row = tuple[Term | None, ...]
# Solutions that were added, and solutions that were removed.
Delta = tuple[list[Bindings], list[Bindings]]
# For so many predicates it is remembered which leaves look at them.
_MOST_PREDICATES = 64


class BeforeAndAfter:
    """The states around a change: `after` it, `before` it, and `either`: all that holds in one of them."""

    __slots__ = ("after", "before", "either")

    def __init__(self, after: Work, before: Work, either: Work) -> None:
        self.after = after
        self.before = before
        self.either = either


class PatternDelta:
    """Follows one pattern. It keeps no state."""

    def __init__(self, node: nodes.Node, operator: Operator) -> None:
        self.node = node
        self._operator = operator
        self._names = tuple(sorted(possible(node)))
        self.leaves: list[Leaf] = leaves_of(node)
        self._seeds = [LeafSeeds(leaf) for leaf in self.leaves]
        self._looking_at: dict[NamedNode, list[LeafSeeds]] = {}
        self.is_flat = _is_flat(node)

    def whole(self, work: Work) -> Iterable[Bindings]:
        """Every solution."""
        return self._operator.solve(work, {})

    def delta(self, added: Sequence[Quad], removed: Sequence[Quad], both: BeforeAndAfter) -> Delta:
        """What the quads that were added and those that were removed change."""
        if self.is_flat:
            return self._found(added, both.after), self._found(removed, both.before)
        seeds = Seeds(
            seed
            for quad in (*added, *removed)
            for leaf in self._leaves_at(quad)
            for seed in leaf.seeds(quad, both.either)
        )
        if not seeds.all:
            return [], []
        after, before = self._counted(seeds, both.after), self._counted(seeds, both.before)
        return self._solutions(after - before), self._solutions(before - after)

    def _leaves_at(self, quad: Quad) -> list[LeafSeeds]:
        """The leaves that may look at a quad, by its predicate."""
        found = self._looking_at.get(quad.predicate)
        if found is None:
            found = [leaf for leaf in self._seeds if leaf.may_look_at(quad.predicate)]
            if len(self._looking_at) < _MOST_PREDICATES:
                self._looking_at[quad.predicate] = found
        return found

    def _found(self, quads: Sequence[Quad], work: Work) -> list[Bindings]:
        """In a flat pattern: what stands on one of the quads, each solution once."""
        found: dict[Row, Bindings] = {}
        seeds = [seed for quad in quads for leaf in self._leaves_at(quad) for seed in leaf.seeds(quad, work)]
        for seed in seeds:
            for solution in self._operator.solve(work, seed):
                found[self._row(solution)] = solution
        return list(found.values())

    def _counted(self, seeds: Seeds, work: Work) -> Counter[Row]:
        if len(seeds.all) == 1:
            return Counter(self._row(solution) for solution in self._operator.solve(work, seeds.all[0]))
        return Counter(
            self._row(solution)
            for at, seed in enumerate(seeds.all)
            for solution in self._operator.solve(work, seed)
            if seeds.is_first(at, solution)
        )

    def _row(self, solution: Bindings) -> Row:
        return tuple([solution.get(name) for name in self._names])

    def _solutions(self, rows: Counter[Row]) -> list[Bindings]:
        return [
            {name: term for name, term in zip(self._names, row, strict=True) if term is not None}
            for row in rows.elements()
        ]


def _is_flat(node: nodes.Node) -> bool:
    if isinstance(node, nodes.Join):
        return all(isinstance(part, nodes.QuadPattern) for part in node.parts)
    if isinstance(node, nodes.Filter):
        return _is_flat(node.inner) and not _has_exists(node.conditions)
    if isinstance(node, nodes.Extend):
        return _is_flat(node.inner) and not _has_exists(node.expression)
    return isinstance(node, nodes.QuadPattern)


def _has_exists(expressions: object) -> bool:
    return any(isinstance(found, nodes.Exists) for found in walk(expressions))
