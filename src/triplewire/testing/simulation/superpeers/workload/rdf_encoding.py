"""The encoding of simulated facts: as SPARQL, Turtle and N-Quads.

>>> print(RdfEncoding().standing_query(Query((Span("kind", 3, 3), Span("size", 1, 5)))).text)
SELECT ?s { ?s <urn:simulated:kind> 3 . ?s <urn:simulated:size> ?size FILTER(?size >= 1 && ?size <= 5) }
"""

from __future__ import annotations

from triplewire.algebra.advertisements.advertisement import Advertisement
from triplewire.algebra.advertisements.value_sets import Interval
from triplewire.network.messages import Description, StandingQuery
from triplewire.network.routing.advertisements.descriptions import describe
from triplewire.network.routing.subscriptions.reasoner import Reasoner
from triplewire.network.routing.subscriptions.standing_queries import standing_query
from triplewire.rdf.terms import XSD, Literal
from triplewire.testing.simulation.superpeers.workload.facts import Fact, Offer, Query, Span
from triplewire.testing.simulation.superpeers.workload.reasoner import ExactReasoner

_SPACE = "urn:simulated:"


class RdfEncoding:
    """Encodes facts in RDF, and teaches the exact reasoner what it has encoded."""

    def __init__(self, reasoner: Reasoner | None = None) -> None:
        self._quick = ExactReasoner()
        self.reasoner: Reasoner = reasoner or self._quick
        self._standings: dict[Query, StandingQuery] = {}
        self._descriptions: dict[Offer, Description] = {}

    def standing_query(self, query: Query) -> StandingQuery:
        """The query in SPARQL."""
        if query not in self._standings:
            found = standing_query("sparql", _sparql(query))
            self._quick.learn_query(found, query)
            self._standings[query] = found
        return self._standings[query]

    def description(self, offer: Offer) -> Description:
        """The offer in Turtle, on the level of properties and values."""
        if offer not in self._descriptions:
            values = {_SPACE + span.property: _interval(span) for span in offer.spans}
            # Values alone say nothing of other properties; naming the properties says that there are no others.
            description = describe([Advertisement.properties(values), Advertisement.values(values)])
            self._quick.learn_offer(description, offer)
            self._descriptions[offer] = description
        return self._descriptions[offer]

    def payload(self, event: str, fact: Fact) -> bytes:
        """The event in N-Quads."""
        lines = sorted(f"<urn:thing> <{_SPACE}{name}> {_literal(value)} <{event}> .\n" for name, value in fact.values)
        payload = "".join(lines).encode()
        self._quick.learn_fact(payload, fact)
        return payload


def _sparql(query: Query) -> str:
    patterns = " . ".join(f"?s <{_SPACE}{span.property}> {_object(span)}" for span in query.spans)
    tests = " && ".join(_test(span) for span in query.spans if span.low != span.high)
    return f"SELECT ?s {{ {patterns}{f' FILTER({tests})' if tests else ''} }}"


def _object(span: Span) -> str:
    return str(span.low) if span.low == span.high else f"?{span.property}"


def _test(span: Span) -> str:
    return f"?{span.property} >= {span.low} && ?{span.property} <= {span.high}"


def _interval(span: Span) -> Interval | Literal:
    return _literal(span.low) if span.low == span.high else Interval(_literal(span.low), _literal(span.high))


def _literal(value: int) -> Literal:
    return Literal(str(value), datatype=XSD["integer"])
