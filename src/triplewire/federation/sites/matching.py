"""Sub-queries of conditions at a site: the triples for each lookup, other than those that are kept from others."""

from __future__ import annotations

from collections.abc import Iterator

from triplewire.federation.sites.planning import classes_of
from triplewire.federation.sites.privileges import Access, Privileges
from triplewire.federation.sites.requests import Match, Matched
from triplewire.federation.sites.terms import inward, outward_triple
from triplewire.rdf.terms import Triple
from triplewire.rules.graphs import Graph, Lookup


def matched(site: str, graph: Graph, asked: Match, serial: int) -> Matched:
    """The answer to a sub-query. `serial` is the last one that was told, so the last change that the answer knows."""
    answers = tuple(tuple(_matching(site, graph, lookup, asked.guard)) for lookup in asked.lookups)
    return Matched(asked.query, answers, serial)


def _matching(site: str, graph: Graph, lookup: Lookup, guard: Privileges | None) -> Iterator[Triple]:
    subject = None if lookup.subject is None else inward(lookup.subject, site)
    target = None if lookup.target is None else inward(lookup.target, site)
    for triple in graph.match(subject, lookup.predicate, target):
        if guard is None or guard.of_triple(triple, classes_of(graph, triple.subject)) >= Access.READ_ONLY:
            yield outward_triple(triple, site)
