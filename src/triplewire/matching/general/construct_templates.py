"""CONSTRUCT templates: triples made from solutions.

A blank node of the template is a new one in each solution. A triple that RDF does not allow, or that mentions an
unbound variable, is left out. The result is a set; it keeps the order in which its triples first appear.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from triplewire.algebra.patterns import Pattern, PatternTerm, Variable, variables_of
from triplewire.rdf.terms import BlankNode, NamedNode, Term, Triple


def instantiate(template: tuple[Pattern, ...], solutions: Sequence[Mapping[str, Term]]) -> tuple[Triple, ...]:
    """The triples that a template makes of some solutions."""
    blanks = [variable.name for variable in variables_of(template) if variable.is_blank]
    prefix = _unused_prefix(solutions) if blanks else ""
    made: dict[Triple, None] = {}
    for number, solution in enumerate(solutions):
        fresh = {name: BlankNode(f"{prefix}{number}b{place}") for place, name in enumerate(blanks)}
        made.update(dict.fromkeys(_triples(template, {**solution, **fresh})))
    return tuple(made)


def _triples(template: tuple[Pattern, ...], binding: Mapping[str, Term]) -> Iterator[Triple]:
    for pattern in template:
        subject, predicate, obj = (_filled(term, binding) for term in pattern)
        if isinstance(subject, NamedNode | BlankNode) and isinstance(predicate, NamedNode) and obj is not None:
            yield Triple(subject, predicate, obj)


def _filled(term: PatternTerm, binding: Mapping[str, Term]) -> Term | None:
    return binding.get(term.name) if isinstance(term, Variable) else term


def _unused_prefix(solutions: Iterable[Mapping[str, Term]]) -> str:
    """A beginning that no blank node of the solutions has, so that a fresh node is not mistaken for one of them."""
    taken = (label for solution in solutions for term in solution.values() for label in _labels(term))
    longest = max((len(label) - len(label.lstrip("c")) for label in taken), default=0)
    return "c" * (longest + 1)


def _labels(term: Term) -> Iterator[str]:
    if isinstance(term, BlankNode):
        yield term.value
    elif isinstance(term, Triple):
        yield from _labels(term.subject)
        yield from _labels(term.object)
