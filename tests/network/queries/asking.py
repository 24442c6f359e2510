"""A space of zones that answers fetches page by page, and one store with all the data."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pyoxigraph import (
    DefaultGraph,
    Quad,
    QueryBoolean,
    QueryResultsFormat,
    QuerySolutions,
    RdfFormat,
    Store,
    Triple,
    parse,
)

from triplewire.languages.sparql.lowering.balanced_trees import balanced
from triplewire.languages.sparql.parsing.parser import parse_query
from triplewire.languages.sparql.printing.printer import print_query
from triplewire.network.can.geometry.space import SPACE, Point, Zone, point_of
from triplewire.network.eventspace.blank_nodes import qualified
from triplewire.network.queries.explain import touched
from triplewire.network.queries.space_query import DEFAULT_LIMITS, Fetch, SpaceQuery, SpaceQueryLimits
from triplewire.rdf.events import Event
from triplewire.testing.answers import Answers


class Space:
    """The quadruples of events, each in the zone that it lies in."""

    def __init__(self, events: Iterable[Event], zones: Sequence[Zone] = (SPACE,), page: int = 1_000_000) -> None:
        self.zones = list(zones)
        self.page = page
        self.asked: list[Zone] = []
        self.fetches: list[Fetch] = []
        self.quads = {quad for event in events for quad in _qualified(event)}
        points = sorted(point_of(quad) for quad in self.quads)
        self.contents = [[point for point in points if point in zone] for zone in self.zones]

    def run(self, text: str, limits: SpaceQueryLimits = DEFAULT_LIMITS) -> SpaceQuery:
        """Fetch all that a query asks for."""
        run = SpaceQuery(text, limits)
        while isinstance(wanted := run.next(), Fetch):
            self.fetches.append(wanted)
            for page in self._pages(wanted):
                assert run.next() == wanted
                run.supply(*page)
        return run

    def answer(self, text: str, limits: SpaceQueryLimits = DEFAULT_LIMITS) -> Answers:
        """The answer over the space."""
        run = self.run(text, limits)
        return solutions_of(*run.evaluate(RdfFormat.N_TRIPLES.media_type))

    def reference(self, text: str) -> Answers:
        """The answer of one store with all the data."""
        store = Store()
        store.extend(self.quads)
        store.extend(Quad(quad.subject, quad.predicate, quad.object, DefaultGraph()) for quad in self.quads)
        result = store.query(print_query(balanced(parse_query(text))))
        if isinstance(result, QuerySolutions | QueryBoolean):
            return _solutions(json.loads(result.serialize(format=QueryResultsFormat.JSON)))
        return list(result)

    def _pages(self, wanted: Fetch) -> Iterator[tuple[list[Point], bool, int]]:
        """What lies in the boxes, zone by zone."""
        hit = touched(wanted.boxes, self.zones)
        self.asked = [zone for zone in self.zones if zone in self.asked or zone in hit]
        points = [point for zone in hit for point in self.contents[self.zones.index(zone)]]
        found = [point for point in points if any(point in box for box in wanted.boxes)]
        for at in range(0, max(1, len(found)), self.page):
            yield found[at : at + self.page], at + self.page >= len(found), len(hit)


def same_by_label(one: Answers, other: Answers) -> bool:
    """Whether two answers are the same, with their blank nodes as they are: a bag of solutions or a set of triples."""
    if any(isinstance(row, Triple) for row in (*one, *other)):
        return set(one) == set(other)
    return Counter(frozenset(row.items()) for row in one) == Counter(frozenset(row.items()) for row in other)


def solutions_of(media_type: str, content: bytes) -> Answers:
    """The answer in a document."""
    if media_type == RdfFormat.N_TRIPLES.media_type:
        return [quad.triple for quad in parse(content, RdfFormat.N_TRIPLES)]
    return _solutions(json.loads(content))


def _solutions(document: dict[str, Any]) -> Answers:
    """Solutions, their terms in the form that they have on the wire; an ASK that holds has one empty solution."""
    if "boolean" in document:
        return [{}] if document["boolean"] else []
    rows = document["results"]["bindings"]
    return [{name: json.dumps(term, sort_keys=True) for name, term in row.items()} for row in rows]


def _qualified(event: Event) -> list[Quad]:
    triples = (qualified(triple, event.graph) for triple in event.triples)
    return [Quad(t.subject, t.predicate, t.object, event.graph) for t in triples]
