"""One subscription on one event, by Oxigraph: load the dataset, run the text, read the answer."""

from __future__ import annotations

from functools import lru_cache
from typing import cast

from pyoxigraph import QueryBoolean, QuerySolutions, Store

from triplewire.rdf.terms import TW, DefaultGraph, Quad, Term
from triplewire.testing.answers import Answers
from triplewire.testing.canonical import odd_literals_in, odd_literals_of
from triplewire.testing.case import Case
from triplewire.testing.parsed import has_alternative_path, has_zero_length_path


def unable(case: Case) -> str | None:
    """Why Oxigraph cannot judge this case, or None if it can."""
    odd = odd_literals_of(case.triples) or odd_literals_in(case.text)
    if odd:
        return f"its store writes {odd[0]} by value, so that terms which differ become one"
    if has_zero_length_path(case.text):
        return "it finds no zero-length path for a term that the graph lacks"
    if has_alternative_path(case.text):
        return "it gives an end of a path once, however many choices lead to it"
    return None


def answer(case: Case) -> Answers | None:
    """What Oxigraph says."""
    result = dataset_of(case).query(case.text, custom_functions=case.functions)
    if isinstance(result, QueryBoolean):
        return [{}] if result else None
    if isinstance(result, QuerySolutions):
        names = [variable.value for variable in result.variables]
        rows = [{name: row[name] for name in names if row[name] is not None} for row in result]
        return rows or None
    return list(dict.fromkeys(result)) or None


def dataset_of(case: Case) -> Store:
    """The event's triples as the default graph, and again as the one named graph."""
    store = Store()
    for graph in (DefaultGraph(), case.graph):
        store.extend(Quad(t.subject, t.predicate, t.object, graph) for t in case.triples)
    return store


@lru_cache(maxsize=65536)
def value_of(expression: str, *operands: Term) -> Term | None:
    """The value of a SPARQL expression over ?a and ?b; None where it is an error.

    >>> from triplewire.rdf.terms import Literal
    >>> value_of("?a < ?b", Literal(1), Literal(2.5)).value, value_of("?a < ?b", Literal(1), Literal("2"))
    ('true', None)
    """
    # The operands come from data, not from the text, in which a blank node cannot be written.
    store = Store()
    store.extend(Quad(TW[name], TW["is"], term) for name, term in zip("ab", operands, strict=False))
    wanted = " . ".join(f"{TW[name]} {TW['is']} ?{name}" for name, _ in zip("ab", operands, strict=False))
    result = store.query(f"SELECT (({expression}) AS ?value) WHERE {{ {wanted} }}")
    assert isinstance(result, QuerySolutions)
    return cast("Term | None", next(iter(result))["value"])
