"""Triples that CONSTRUCT and DESCRIBE make."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from triplewire.algebra.patterns import Variable
from triplewire.evaluation.datasets import DEFAULT_GRAPH
from triplewire.evaluation.expressions.digests import digest
from triplewire.evaluation.work import Bindings, Work
from triplewire.languages.sparql.syntax import ast
from triplewire.rdf.literals.kept import as_kept
from triplewire.rdf.terms import BlankNode, Literal, NamedNode, Term, Triple


class Template:
    """The template of a CONSTRUCT.

    Its blank nodes are named after the solution, and so stay the same as long as that is there.
    """

    def __init__(self, patterns: Iterable[ast.TriplePattern]) -> None:
        self._patterns = tuple(
            tuple(as_kept(term) if isinstance(term, Literal) else term for term in (p.subject, p.predicate, p.object))
            for p in patterns
        )
        names = {term.name for pattern in self._patterns for term in pattern if isinstance(term, Variable)}
        self._blanks = tuple(sorted(name for name in names if name.startswith("_:")))

    @property
    def has_blank_nodes(self) -> bool:
        return bool(self._blanks)

    def seeds(self, triple: Triple) -> Iterator[Bindings]:
        """For each pattern of which the triple may be made, what a solution that makes it binds."""
        given = (triple.subject, triple.predicate, triple.object)
        for pattern in self._patterns:
            seed: Bindings = {}
            for position, term in zip(pattern, given, strict=True):
                if not isinstance(position, Variable):
                    fits = position == term
                else:
                    fits = position.name.startswith("_:") or seed.setdefault(position.name, term) == term
                if not fits:
                    break
            else:
                yield seed

    def triples(self, solution: Bindings, work: Work, copy: int = 0) -> Iterator[Triple]:
        """What one solution makes, `copy` counting those that are equal to it. What is no triple is left out."""
        solution = {name: term for name, term in solution.items() if not name.startswith("_:")}
        if self._blanks:
            made = digest(work.moment.salt, str(copy), solution).hex()[:32]
            solution |= {name: BlankNode(f"c{made}{at}") for at, name in enumerate(self._blanks)}
        for pattern in self._patterns:
            subject, predicate, obj = (_term(term, solution) for term in pattern)
            if isinstance(subject, NamedNode | BlankNode) and isinstance(predicate, NamedNode) and obj is not None:
                yield Triple(subject, predicate, obj)


def _term(position: object, solution: Bindings) -> Term | None:
    return solution.get(position.name) if isinstance(position, Variable) else position  # type: ignore[return-value]


def description(resource: Term, work: Work) -> dict[Triple, None]:
    """What the default graph says about a resource, and about the blank nodes that are said there, and so on."""
    found: dict[Triple, None] = {}
    waiting, seen = [resource], {resource}
    while waiting:
        node = waiting.pop()
        if not isinstance(node, NamedNode | BlankNode):
            continue
        for quad in work.dataset.match(node, None, None, DEFAULT_GRAPH):
            work.budget.spend()
            found[quad.triple] = None
            if isinstance(quad.object, BlankNode) and quad.object not in seen:
                seen.add(quad.object)
                waiting.append(quad.object)
    return found
