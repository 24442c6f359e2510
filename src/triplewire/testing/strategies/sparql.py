"""Strategies for SPARQL subscriptions, as text, through a small grammar: the parser is part of what is tested."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from hypothesis import strategies as st

from triplewire.rdf.terms import BlankNode, Literal, Term, Triple
from triplewire.testing.strategies.filters import fast_filters, general_filters
from triplewire.testing.strategies.terms import canonical_literals, iris, literals, predicates
from triplewire.testing.strategies.vocabulary import EVENT_NAMES

PROLOGUE = "PREFIX tw: <urn:triplewire:>\nPREFIX ex: <http://example.org/>\n"
_NODES = ("?x", "?y", "?z")
_SPARE = tuple(f"?v{number}" for number in range(12))
_PREDICATE = "?p"
_ANY = literals()
_CANONICAL = canonical_literals()
_RARELY = st.sampled_from((False, False, False, True))
_VARIABLE = re.compile(r"(?<![\"\w>)/*+])\?[a-z]\w*")


def fast_sparql(like: Sequence[Triple] = ()) -> st.SearchStrategy[str]:
    """A query of the fast lane: patterns, GRAPH around them, FILTERs. Most patterns match the triples `like`."""
    return _fast_groups(tuple(like)).flatmap(_fast_forms).map(PROLOGUE.__add__)


def general_sparql(like: Sequence[Triple] = ()) -> st.SearchStrategy[str]:
    """A query that needs the general lane somewhere: OPTIONAL, UNION, MINUS, paths, BIND, aggregates, sub-selects."""
    group = _general_groups(2, tuple(like))
    return group.flatmap(_general_forms).map(PROLOGUE.__add__)


def variables_in(text: str) -> tuple[str, ...]:
    """The variables that a generated text mentions, in order of appearance.

    >>> variables_in("?x ex:p/ex:q* ?y . FILTER(?y > 3)")
    ('?x', '?y')
    """
    return tuple(dict.fromkeys(_VARIABLE.findall(text)))


@lru_cache(maxsize=8)
def triple_patterns(literal: st.SearchStrategy[Literal]) -> st.SearchStrategy[str]:
    # Never `_:b`: a label may not occur in two groups of one query.
    node = st.sampled_from(_NODES)
    subject = st.one_of(node, node, node, iris().map(str), st.just("[]"))
    predicate = st.one_of(predicates().map(str), predicates().map(str), st.sampled_from((_PREDICATE, "?x")))
    obj = st.one_of(node, node, iris().map(str), literal.map(str), st.just("[]"))
    return st.builds("{} {} {}".format, subject, predicate, obj)


@lru_cache(maxsize=64)
def blocks(like: tuple[Triple, ...], literal: st.SearchStrategy[Literal], size: int = 3) -> st.SearchStrategy[str]:
    """Some triple patterns; where there are triples to imitate, mostly ones that match them."""
    anything = st.lists(triple_patterns(literal), min_size=1, max_size=size).map(" . ".join)
    return st.one_of(imitations(like, size), imitations(like, size), anything) if like else anything


@st.composite
def imitations(draw: st.DrawFn, like: tuple[Triple, ...], size: int) -> str:
    """Triples with some of their terms replaced by variables, the same term by the same one: a pattern that matches."""
    rows = draw(st.lists(st.sampled_from(like), min_size=1, max_size=size, unique=True))
    names: dict[Term, str] = {}
    spare = iter((*_NODES, *_SPARE))
    for row in rows:
        for term, hidden in ((row.subject, True), (row.object, draw(st.booleans())), (row.predicate, draw(_RARELY))):
            if (hidden or isinstance(term, BlankNode)) and term not in names:
                names[term] = next(spare)
    return " . ".join(" ".join(names.get(term, str(term)) for term in row) for row in rows)


@st.composite
def _fast_groups(draw: st.DrawFn, like: tuple[Triple, ...]) -> str:
    block = draw(blocks(like, _ANY))
    group = draw(st.one_of(st.just(block), st.just(block), _in_graph(block)))
    return " ".join([group, *draw(_filters(group, fast_filters))])


def _in_graph(block: str) -> st.SearchStrategy[str]:
    name = st.one_of(st.sampled_from(("?g", "?g", "?x")), st.sampled_from(EVENT_NAMES).map(str))
    return st.builds("GRAPH {} {{ {} }}".format, name, st.just(block))


def _filters(
    block: str, conditions: Callable[[tuple[str, ...]], st.SearchStrategy[str]]
) -> st.SearchStrategy[list[str]]:
    names = variables_in(block)
    return st.lists(st.builds("FILTER({})".format, conditions(names)), max_size=2) if names else st.just([])


def _fast_forms(group: str) -> st.SearchStrategy[str]:
    names = variables_in(group)
    forms = [st.just(f"ASK {{ {group} }}"), st.just(f"SELECT * WHERE {{ {group} }}")]
    if names:
        forms += [_selects(group, names), _constructs(group, names)]
    return st.one_of(forms)


def _selects(group: str, names: tuple[str, ...]) -> st.SearchStrategy[str]:
    kept = st.lists(st.sampled_from(names), min_size=1, unique=True).map(" ".join)
    return st.builds("SELECT {}{} WHERE {{ {} }}".format, st.sampled_from(("", "DISTINCT ")), kept, st.just(group))


def _constructs(group: str, names: tuple[str, ...]) -> st.SearchStrategy[str]:
    name = st.sampled_from(names)
    row = st.builds("{} ex:made {}".format, st.one_of(name, st.just("_:new")), st.one_of(name, st.just("_:new")))
    template = st.lists(row, min_size=1, max_size=2).map(" . ".join)
    return template.map(lambda rows: f"CONSTRUCT {{ {rows} }} WHERE {{ {group} }}")


@st.composite
def _general_groups(draw: st.DrawFn, depth: int, like: tuple[Triple, ...]) -> str:
    first = draw(st.one_of(blocks(like, canonical_literals(), 2), _path_patterns()))
    parts = draw(st.lists(_general_parts(depth, like), min_size=1, max_size=2))
    block = " . ".join([first, *parts]) if depth else first
    return " ".join([block, *draw(_filters(block, general_filters))])


@lru_cache(maxsize=64)
def _general_parts(depth: int, like: tuple[Triple, ...]) -> st.SearchStrategy[str]:
    if depth == 0:
        return blocks(like, canonical_literals(), 1)
    inner = _general_groups(depth - 1, like)
    name = st.sampled_from(_NODES)
    return st.one_of(
        st.builds("OPTIONAL {{ {} }}".format, inner),
        st.builds("{{ {} }} UNION {{ {} }}".format, inner, inner),
        st.builds("MINUS {{ {} }}".format, inner),
        st.builds("FILTER {} {{ {} }}".format, st.sampled_from(("EXISTS", "NOT EXISTS")), inner),
        st.builds("BIND({} AS ?new)".format, _expressions()).map(lambda bind: f"{{ ?x ?p ?y . {bind} }}"),
        st.builds("VALUES {} {{ {} {} }}".format, name, iris(), _CANONICAL),
        st.builds("{{ SELECT DISTINCT ?x WHERE {{ {} }} }}".format, inner.map(_binding_x)),
        st.builds("GRAPH ?g {{ {} }}".format, inner),
        _path_patterns(),
    )


def _binding_x(group: str) -> str:
    return group if "?x" in group else f"?x ?p ?y . {group}"


def _expressions() -> st.SearchStrategy[str]:
    return st.sampled_from(("STR(?y)", "?y + 1", "isIRI(?y)", "COALESCE(?y * 2, ?x)", "IF(isLITERAL(?y), ?y, ?x)"))


@lru_cache(maxsize=1)
def _path_patterns() -> st.SearchStrategy[str]:
    step = predicates().map(str)
    paths = st.one_of(
        st.builds("{}/{}".format, step, step),
        st.builds("({}|{})".format, step, step),
        st.builds("^{}".format, step),
        st.builds("{}+".format, step),
        st.builds("!({})".format, step),
    )
    return st.builds("{} {} {}".format, st.sampled_from(("?x", "?y")), paths, st.sampled_from(("?y", "?z")))


def _general_forms(group: str) -> st.SearchStrategy[str]:
    names = variables_in(group) or ("?x",)
    one = names[0]
    return st.one_of(
        st.just(f"ASK {{ {group} }}"),
        _selects(group, names),
        _constructs(group, names),
        st.just(f"SELECT (COUNT(*) AS ?n) WHERE {{ {group} }}"),
        st.just(f"SELECT {one} (COUNT(*) AS ?n) WHERE {{ {group} }} GROUP BY {one}"),
        st.just(f"SELECT {one} WHERE {{ {group} }} GROUP BY {one} HAVING(COUNT(*) > 1)"),
        st.just(f"SELECT {one} WHERE {{ {group} }} ORDER BY {one}"),
        st.just(f"SELECT DISTINCT ?p WHERE {{ ?x ?p ?y . {group} }} ORDER BY ?p LIMIT 2"),
    )
