"""The workload of section 5: chained patterns, and compound events that evenly match the subscriptions.

A subscription has k patterns `(?g, ?s1, p1, ?o1) (?g, ?o1, p2, ?o2) …`, with predicates of its own. An event is such a
chain for one subscription, in turn, and matches no other. All names end in random letters, so that they lie
everywhere in the space; the paper does not say how it has done that. An event of five quadruples has about 670 bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from string import ascii_lowercase

from msgspec import Struct

from triplewire.algebra.subscriptions import Subscription
from triplewire.network.can.geometry.space import Point, point_of
from triplewire.rdf.events import Event
from triplewire.rdf.terms import Quad

ACCEPT_ALL = "SELECT ?g WHERE { GRAPH ?g { ?s ?p ?o } }"
_GRAPH_LETTERS, _LETTERS = 30, 22


class Workload(Struct, frozen=True):
    """So many subscriptions of `patterns` patterns each, or one that accepts all, and events for them."""

    subscriptions: int = 1
    patterns: int = 5
    quads: int = 5
    accepts_all: bool = False
    seed: int = 0

    def queries(self) -> list[Subscription]:
        """The subscriptions, by the names s0, s1, …"""
        if self.accepts_all:
            return [Subscription.parse(ACCEPT_ALL, id="s0")]
        texts = (chain_query(self._predicates(number)[: self.patterns]) for number in range(self.subscriptions))
        return [Subscription.parse(text, id=f"s{number}") for number, text in enumerate(texts)]

    def nquads(self, first: int, count: int) -> Iterator[bytes]:
        """Events as N-Quads, from a number on; each number is always the same event."""
        by_kind = [self._predicates(number) for number in range(max(1, self.subscriptions))]
        for number in range(first, first + count):
            yield self._event(number, by_kind[number % len(by_kind)])

    def events(self, first: int, count: int) -> Iterator[Event]:
        for text in self.nquads(first, count):
            yield Event.parse(text)[0]

    def starts(self) -> frozenset[bytes] | None:
        """The coordinates of the predicates with which subscriptions begin; None if they begin with any."""
        if self.accepts_all:
            return None
        return frozenset(f"<{self._predicates(number)[0]}>".encode() for number in range(self.subscriptions))

    def points(self, count: int) -> list[Point]:
        """Where the quadruples of the first events lie."""
        return [
            point_of(Quad(triple.subject, triple.predicate, triple.object, event.graph))
            for event in self.events(0, count)
            for triple in event.triples
        ]

    def _predicates(self, number: int) -> list[str]:
        chance = Random(f"{self.seed} predicates {number}")
        return [f"urn:p:{_letters(chance)}" for _ in range(max(self.quads, self.patterns))]

    def _event(self, number: int, predicates: list[str]) -> bytes:
        chance = Random(f"{self.seed} event {number}")
        graph = f"urn:g:{_letters(chance, _GRAPH_LETTERS)}"
        names = [f"urn:s:{_letters(chance)}" for _ in range(self.quads + 1)]
        links = zip(names, predicates, names[1:], strict=False)
        return "".join(f"<{s}> <{p}> <{o}> <{graph}> .\n" for s, p, o in links).encode()


def chain_query(predicates: list[str]) -> str:
    """
    >>> chain_query(["urn:p1", "urn:p2"])
    'SELECT ?g ?o0 WHERE { GRAPH ?g { ?o0 <urn:p1> ?o1 . ?o1 <urn:p2> ?o2 } }'
    """
    patterns = " . ".join(f"?o{at} <{predicate}> ?o{at + 1}" for at, predicate in enumerate(predicates))
    return f"SELECT ?g ?o0 WHERE {{ GRAPH ?g {{ {patterns} }} }}"


def _letters(chance: Random, count: int = _LETTERS) -> str:
    return "".join(chance.choices(ascii_lowercase, k=count))
