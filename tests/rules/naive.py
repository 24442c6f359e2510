"""Plain loops over plain sets: what a repository should hold, and whether it conforms."""

from __future__ import annotations

from collections.abc import Iterable

from triplewire.rdf.terms import Literal, NamedNode, Term, Triple
from triplewire.rules.literals import is_of
from triplewire.rules.schema import Schema
from triplewire.rules.vocabulary import CONTAINERS, RESOURCE, TYPE, is_datatype, number_of


def closure(asserted: Iterable[Triple], schema: Schema) -> set[Triple]:
    """The closure, from scratch, one hierarchy step at a time until nothing is new."""
    parents: dict[tuple[str, Term], set[Term]] = {}
    for triple in schema.triples:
        kind = triple.predicate.value.rsplit("#", 1)[-1]
        if kind in ("subClassOf", "subPropertyOf") and triple.object != RESOURCE:
            parents.setdefault((kind, triple.subject), set()).add(triple.object)
    holding: set[Triple] = set()
    waiting = list(asserted)
    while waiting:
        triple = waiting.pop()
        if triple in holding:
            continue
        holding.add(triple)
        if triple.predicate == TYPE:
            above = parents.get(("subClassOf", triple.object), set())
            waiting += [Triple(triple.subject, TYPE, cls) for cls in above]
        else:
            above = parents.get(("subPropertyOf", triple.predicate), set())
            waiting += [Triple(triple.subject, prop, triple.object) for prop in above]
    return holding


def conforms(asserted: Iterable[Triple], schema: Schema) -> bool:
    """Clauses (a), (b) and (c), over everything."""
    holding = closure(asserted, schema)
    classes: dict[Term, set[Term]] = {}
    for triple in holding:
        if triple.predicate == TYPE:
            classes.setdefault(triple.subject, set()).add(triple.object)
    return all(_fits(triple, classes, schema) for triple in holding)


def _fits(triple: Triple, classes: dict[Term, set[Term]], schema: Schema) -> bool:
    if triple.predicate == TYPE:
        return schema.is_class(triple.object)
    source = classes.get(triple.subject, set())
    if not source:
        return False
    if number_of(triple.predicate) is not None:
        wanted = {e for cls in source if isinstance(cls, NamedNode) for e in schema.elements(cls)}
        return bool(source & CONTAINERS) and _is(triple.object, wanted, classes)
    if triple.predicate not in schema.properties:
        return False
    domain, reach = schema.domain(triple.predicate), schema.range(triple.predicate)
    return bool(domain and reach) and domain - {RESOURCE} <= source and _is(triple.object, set(reach), classes)


def _is(target: Term, wanted: set[NamedNode], classes: dict[Term, set[Term]]) -> bool:
    if isinstance(target, Literal):
        return all(is_datatype(cls) and is_of(target, cls) for cls in wanted)
    found = classes.get(target, set())
    return bool(found) and wanted - {RESOURCE} <= found
