"""Strategies for terms, triples and events."""

from __future__ import annotations

from hypothesis import strategies as st

from triplewire.rdf.events import Event
from triplewire.rdf.terms import BlankNode, Literal, NamedNode, Quad, Term, Triple
from triplewire.testing.strategies.vocabulary import (
    BLANK_NODES,
    CANONICAL_LITERALS,
    CLASSES,
    EVENT_NAMES,
    ILL_TYPED_LITERALS,
    ODD_LITERALS,
    PREDICATES,
    PROPERTIES,
    RESOURCES,
    TYPE,
)


def iris() -> st.SearchStrategy[NamedNode]:
    """Resources and, more rarely, classes and properties standing as resources."""
    return st.sampled_from((*RESOURCES, *RESOURCES, *CLASSES, *PROPERTIES))


def predicates() -> st.SearchStrategy[NamedNode]:
    return st.sampled_from((*PREDICATES, *PREDICATES, *PROPERTIES, TYPE))


def canonical_literals() -> st.SearchStrategy[Literal]:
    """Literals that Oxigraph gives back as they are; some are not what their datatype allows."""
    return st.sampled_from((*CANONICAL_LITERALS, *ILL_TYPED_LITERALS))


def literals() -> st.SearchStrategy[Literal]:
    """Canonical ones, odd ones and now and then any text at all."""
    text = st.text(st.characters(exclude_categories=["Cs"]), max_size=5).map(Literal)
    return st.one_of(canonical_literals(), st.sampled_from(ODD_LITERALS), text)


def terms(literal: st.SearchStrategy[Literal] | None = None) -> st.SearchStrategy[Term]:
    """What may stand as an object."""
    return st.one_of(iris(), st.sampled_from(BLANK_NODES), literals() if literal is None else literal)


def subjects() -> st.SearchStrategy[NamedNode | BlankNode]:
    return st.one_of(iris(), st.sampled_from(BLANK_NODES))


@st.composite
def triples(draw: st.DrawFn, literal: st.SearchStrategy[Literal] | None = None) -> Triple:
    predicate = draw(predicates())
    objects = st.sampled_from(CLASSES) if predicate == TYPE else terms(literal)
    return Triple(draw(subjects()), predicate, draw(objects))


@st.composite
def events(draw: st.DrawFn, literal: st.SearchStrategy[Literal] | None = None, size: int = 9) -> Event:
    """Events of up to `size` triples. `literal` chooses which literals may occur in them; any, unless given."""
    rows = draw(st.lists(triples(literal), min_size=1, max_size=size, unique=True))
    return event_of(draw(st.sampled_from(EVENT_NAMES)), rows)


def event_of(graph: NamedNode, rows: list[Triple]) -> Event:
    """An event from its name and its triples, through the parser, as anything from outside comes."""
    lines = (f"{Quad(t.subject, t.predicate, t.object, graph)} .\n" for t in rows)
    (event,) = Event.parse("".join(lines))
    return event


def canonical_events(size: int = 9) -> st.SearchStrategy[Event]:
    """Events in which every literal is one that Oxigraph keeps."""
    return events(canonical_literals(), size)
