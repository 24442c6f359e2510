"""Which ends of a path a changed quad may concern: all from which, or to which, a way leads over it.

A way is followed by the steps that the path has somewhere, whatever their order: more ends than needed may be found,
none is missed.
"""

from __future__ import annotations

from collections.abc import Iterable

from triplewire.evaluation.algebra.paths import Step, steps_of
from triplewire.evaluation.datasets import Graph
from triplewire.evaluation.work import Work
from triplewire.languages.sparql.syntax import ast
from triplewire.rdf.terms import BlankNode, NamedNode, Quad, Term

# With more ends than these a view is evaluated again.
MOST_ENDS = 256
Ends = frozenset[Term]


class Reach:
    """The ways along one path. `work` is over all that holds before or after the change."""

    def __init__(self, path: ast.Path) -> None:
        self._steps = steps_of(path)
        self._is_short = isinstance(path, ast.ZeroOrOne) and not isinstance(
            path.path, ast.Sequence | ast.ZeroOrMore | ast.OneOrMore | ast.ZeroOrOne | ast.Alternative | ast.Inverse
        )

    def touches(self, quad: Quad) -> bool:
        """Whether a way can lead over the quad at all."""
        return any(step.takes(quad.predicate) for step in self._steps)

    def starts(self, quad: Quad, graph: Graph, work: Work) -> Ends | None:
        """Where ways over the quad begin; None if there are too many."""
        return self._reached(self._sides(quad, ending=False), graph, work, backward=True)

    def ends(self, quad: Quad, graph: Graph, work: Work) -> Ends | None:
        """Where ways over the quad end; None if there are too many."""
        return self._reached(self._sides(quad, ending=True), graph, work, backward=False)

    def _sides(self, quad: Quad, ending: bool) -> set[Term]:
        taken = [step for step in self._steps if step.takes(quad.predicate)]
        return {quad.object if step.backward is not ending else quad.subject for step in taken}

    def _reached(self, starts: Iterable[Term], graph: Graph, work: Work, backward: bool) -> Ends | None:
        reached = set(starts)
        waiting = [] if self._is_short else list(reached)
        while waiting:
            node = waiting.pop()
            for step in self._steps:
                for end in _neighbours(step, node, graph, work, backward):
                    if end not in reached:
                        reached.add(end)
                        waiting.append(end)
                        if len(reached) > MOST_ENDS:
                            return None
        return frozenset(reached)


def _neighbours(step: Step, node: Term, graph: Graph, work: Work, backward: bool) -> Iterable[Term]:
    to_subject = step.backward is not backward
    if not to_subject and not isinstance(node, NamedNode | BlankNode):
        return
    match = work.dataset.match
    found = match(None, step.predicate, node, graph) if to_subject else match(node, step.predicate, None, graph)
    for quad in found:
        work.budget.spend()
        if step.predicate is not None or quad.predicate not in step.excluded:
            yield quad.subject if to_subject else quad.object
