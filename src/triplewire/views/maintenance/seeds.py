"""Seeds: from changed quads to what every changed solution extends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from triplewire.algebra.patterns import Variable
from triplewire.evaluation.algebra import nodes
from triplewire.evaluation.algebra.paths import may_be_empty
from triplewire.evaluation.datasets import Graph
from triplewire.evaluation.patterns import QuadMatch
from triplewire.evaluation.work import Bindings, Work
from triplewire.rdf.terms import DefaultGraph, NamedNode, Quad, Term
from triplewire.views.maintenance.leaves import Leaf
from triplewire.views.maintenance.reach import Reach

Key = tuple[tuple[str, Term], ...]


class LeafSeeds:
    """Makes the seeds of one leaf."""

    def __init__(self, leaf: Leaf) -> None:
        self.leaf = leaf
        pattern = leaf.pattern
        is_quad = isinstance(pattern, nodes.QuadPattern | nodes.NegatedPattern)
        self._match = QuadMatch(pattern) if is_quad else None  # type: ignore[arg-type]
        self._reach = Reach(pattern.path) if isinstance(pattern, nodes.PathPattern) else None

    def may_look_at(self, predicate: NamedNode) -> bool:
        """Whether quads with a predicate may change anything here."""
        pattern = self.leaf.pattern
        wanted = pattern.predicate if isinstance(pattern, nodes.QuadPattern) else None
        return not isinstance(wanted, NamedNode) or wanted == predicate

    def seeds(self, quad: Quad, work: Work) -> Iterator[Bindings]:
        """What solutions extend that change with the quad. `work` is over all that holds before or after."""
        pattern, graph = self.leaf.pattern, quad.graph_name
        if not _is_in(pattern, graph):
            return
        if self._match is not None:
            found = self._match.unified(quad, graph, work.constants)
            if found is not None:
                yield from self._kept(found, graph)
        elif isinstance(pattern, nodes.PathPattern):
            for ends in self._ends(pattern, quad, work):
                yield from self._kept(ends, graph)
        else:
            yield from self._kept({}, graph)

    def _kept(self, bindings: Bindings, graph: Graph) -> Iterator[Bindings]:
        leaf = self.leaf
        if leaf.kept is not None:
            bindings = {name: term for name, term in bindings.items() if name in leaf.kept}
        if leaf.graph is None or (
            not isinstance(graph, DefaultGraph) and bindings.setdefault(leaf.graph, graph) == graph
        ):
            yield bindings

    def _ends(self, pattern: nodes.PathPattern, quad: Quad, work: Work) -> Iterator[Bindings]:
        assert self._reach is not None
        start, end = pattern.subject, pattern.object
        if may_be_empty(pattern.path) and isinstance(start, Variable) and isinstance(end, Variable):
            for term in (quad.subject, quad.object):
                yield {start.name: term, end.name: term}
        if self._reach.touches(quad):
            yield from self._over(pattern, quad, work)

    def _over(self, pattern: nodes.PathPattern, quad: Quad, work: Work) -> Iterator[Bindings]:
        """By the end that has fewer."""
        assert self._reach is not None
        starts = self._reach.starts(quad, quad.graph_name, work) if self._is_kept(pattern.subject) else None
        ends = self._reach.ends(quad, quad.graph_name, work) if self._is_kept(pattern.object) else None
        if starts is None and ends is None:
            yield {}
        elif ends is None or (starts is not None and len(starts) <= len(ends)):
            yield from _each(pattern.subject, starts or ())
        else:
            yield from _each(pattern.object, ends)

    def _is_kept(self, position: nodes.Position) -> bool:
        return isinstance(position, Variable) and self.leaf.keeps(position.name)


def _each(position: nodes.Position, terms: Iterable[Term]) -> Iterator[Bindings]:
    assert isinstance(position, Variable)
    return ({position.name: term} for term in terms)


def _is_in(pattern: nodes.Leaf | nodes.GraphEach, graph: Graph) -> bool:
    """Whether a leaf looks at a graph."""
    if isinstance(pattern, nodes.GraphExists):
        return pattern.name == graph
    if isinstance(pattern, nodes.GraphEach) or not isinstance(pattern.graph, DefaultGraph | NamedNode):
        return not isinstance(graph, DefaultGraph)
    return pattern.graph == graph


class Seeds:
    """Some seeds, each once; a seed without bindings makes all others needless."""

    def __init__(self, seeds: Iterable[Bindings]) -> None:
        self.all: list[Bindings] = []
        self._by_names: dict[tuple[str, ...], dict[tuple[Term, ...], int]] = {}
        for seed in seeds:
            if not seed:
                self.all, self._by_names = [{}], {(): {(): 0}}
                return
            names = tuple(sorted(seed))
            places = self._by_names.setdefault(names, {})
            if places.setdefault(tuple([seed[name] for name in names]), len(self.all)) == len(self.all):
                self.all.append(seed)

    @property
    def is_everything(self) -> bool:
        return self.all == [{}]

    def is_first(self, at: int, solution: Bindings) -> bool:
        """Whether no seed before this one is compatible with the solution, which is then counted here."""
        for names, places in self._by_names.items():
            terms = [solution.get(name) for name in names]
            if None not in terms:
                if places.get(tuple(terms), at) < at:  # type: ignore[arg-type]
                    return False
            elif any(place < at and _agree(terms, row) for row, place in places.items()):
                return False
        return True


def _agree(terms: list[Term | None], row: tuple[Term, ...]) -> bool:
    return all(term is None or term == other for term, other in zip(terms, row, strict=True))
