"""Random events and subscriptions: small, and made of few terms, so that many of them match."""

from __future__ import annotations

from datetime import UTC, datetime
from random import Random

from triplewire.rdf.events import Event
from triplewire.rdf.terms import BlankNode, Literal, NamedNode, Triple

_EX = "http://example.org/"
_MOST_TRIPLES = 5

ObjectTerm = NamedNode | BlankNode | Literal

RESOURCES = tuple(NamedNode(f"{_EX}{letter}") for letter in "abcdefgh")
PREDICATES = tuple(NamedNode(f"{_EX}{letter}") for letter in "pqr")
_NAMES = ("Ann", "Anton", "Bob")
_LITERALS = (*map(Literal, range(8)), *map(Literal, _NAMES))
_OBJECTS: tuple[ObjectTerm, ...] = (*RESOURCES[:4], *_LITERALS, BlankNode("b"))

EVERYTHING = "ASK { ?x ?p ?y }"
"""A subscription that every event satisfies."""

# One pattern and chains of several, with and without constants, filters on one variable and on several, and queries
# that only the evaluation of the whole event can decide.
_TEMPLATES = (
    "SELECT ?x ?y {{ ?x <{p}> ?y }}",
    "SELECT ?p ?y {{ <{a}> ?p ?y }}",
    "ASK {{ ?x <{p}> <{a}> }}",
    "ASK {{ ?x ?p ?y FILTER(?y = <{a}>) }}",
    "SELECT ?x ?z {{ ?x <{p}> ?y . ?y <{q}> ?z }}",
    "SELECT ?x {{ ?x <{p}> ?y . ?x <{q}> ?z FILTER(?y < {n}) }}",
    "SELECT ?x {{ ?x <{p}> ?y FILTER(?y >= {n}) }}",
    'SELECT ?x ?y {{ ?x <{p}> ?y FILTER(STRSTARTS(STR(?y), "An")) }}',
    "SELECT * {{ ?x ?p ?y . ?y ?q ?z . ?x <{r}> ?w }}",
    "SELECT ?x ?y ?z {{ ?x <{p}> ?y . ?z <{q}> ?w FILTER(?y != ?w) }}",
    "ASK {{ GRAPH ?g {{ ?x <{p}> ?y }} FILTER NOT EXISTS {{ ?x <{q}> ?y }} }}",
    "SELECT ?x ?z {{ {{ ?x <{p}> ?z }} UNION {{ ?x <{q}> ?y . ?y <{r}> ?z }} }}",
    "SELECT ?x ?w {{ ?x <{p}> ?y OPTIONAL {{ ?y <{q}> ?w }} }}",
)


def random_subscription(rng: Random) -> str:
    """The text of a subscription."""
    p, q, r = (predicate.value for predicate in rng.sample(PREDICATES, 3))
    template = rng.choice(_TEMPLATES)
    return template.format(p=p, q=q, r=r, a=rng.choice(RESOURCES).value, n=rng.randrange(8))


def random_event(rng: Random, number: int) -> Event:
    """An event of a few triples; its IRI has the number."""
    triples = [
        Triple(rng.choice(RESOURCES), rng.choice(PREDICATES), rng.choice(_OBJECTS))
        for _ in range(rng.randint(1, _MOST_TRIPLES))
    ]
    return Event.from_triples(f"{_EX}event/{number}", triples, time=datetime(2026, 1, 1, tzinfo=UTC))
