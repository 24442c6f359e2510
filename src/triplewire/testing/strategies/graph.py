"""Strategies for subscriptions in the graph language, as text."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from hypothesis import strategies as st

from triplewire.rdf.terms import Triple
from triplewire.testing.strategies.sparql import imitations
from triplewire.testing.strategies.terms import iris, literals, predicates
from triplewire.testing.strategies.vocabulary import CLASSES, PROPERTIES

_NODES = ("?x", "?y", "?z", "_:hidden")
_SIGNS = st.sampled_from(("=", "<", "<=", ">", ">="))


@st.composite
def graphs(draw: st.DrawFn, like: Sequence[Triple] = ()) -> str:
    """Edges, one a line, with constraints on some nodes; mostly edges that the triples `like` have."""
    edges = draw(_all_edges(tuple(like)))
    return "\n".join([draw(_constrained_edge(edge)) for edge in edges])


@lru_cache(maxsize=64)
def _all_edges(like: tuple[Triple, ...]) -> st.SearchStrategy[list[tuple[str, ...]]]:
    return st.one_of(_imitated(like), _imitated(like), _edges()) if like else _edges()


def _edges() -> st.SearchStrategy[list[tuple[str, ...]]]:
    node = st.one_of(st.sampled_from(_NODES), st.sampled_from(_NODES), iris().map(str))
    predicate = st.one_of(predicates().map(str), predicates().map(str), st.just("?p"))
    obj = st.one_of(node, node, literals().map(str))
    return st.lists(st.tuples(node, predicate, obj), min_size=1, max_size=3)


def _imitated(like: tuple[Triple, ...]) -> st.SearchStrategy[list[tuple[str, ...]]]:
    return imitations(like, 3).map(lambda text: [tuple(edge.split(" ", 2)) for edge in text.split(" . ")])


@st.composite
def _constrained_edge(draw: st.DrawFn, edge: tuple[str, ...]) -> str:
    subject, predicate, obj = edge
    return f"{draw(_constrained(subject))} {predicate} {draw(_constrained(obj))}"


@lru_cache(maxsize=64)
def _constrained(node: str) -> st.SearchStrategy[str]:
    if not node.startswith("?"):
        return st.just(node)
    constraint = st.builds("{} {}".format, _SIGNS, _operands())
    some = st.lists(constraint, min_size=1, max_size=2).map(lambda parts: f"{node}({', '.join(parts)})")
    return st.one_of(st.just(node), st.just(node), some)


def _operands() -> st.SearchStrategy[str]:
    return st.one_of(literals().map(str), st.sampled_from((*CLASSES, *PROPERTIES)).map(str), iris().map(str))
