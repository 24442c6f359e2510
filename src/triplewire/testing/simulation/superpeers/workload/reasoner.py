"""A reasoner that knows the meaning of each text beforehand, and so answers at once and exactly."""

from __future__ import annotations

from triplewire.algebra.advertisements.value_sets import Interval, Value
from triplewire.network.messages import Description, Publication, StandingQuery
from triplewire.network.routing.advertisements.descriptions import supply_in
from triplewire.testing.simulation.superpeers.workload.facts import Fact, Offer, Query, Span

Spans = dict[str, tuple[int, int]]
# Intervals that are offered of a property.
Offered = dict[str, list[tuple[int, int]]]


class ExactReasoner:
    """Stands in for `AlgebraReasoner`.

    >>> quick, narrow, wide = ExactReasoner(), StandingQuery("n", "", "narrow"), StandingQuery("w", "", "wide")
    >>> quick.learn_query(narrow, Query((Span("a", 2, 3), Span("b", 1, 1))))
    >>> quick.learn_query(wide, Query((Span("a", 1, 5),)))
    >>> quick.implies(narrow, wide), quick.implies(wide, narrow)
    (True, False)
    >>> quick.learn_offer(Description("d", "offer"), Offer((Span("a", 5, 9),)))
    >>> quick.covers(Description("d", "offer"), wide), quick.covers(Description("d", "offer"), narrow)
    (True, False)
    """

    def __init__(self) -> None:
        self._queries: dict[str, Spans] = {}
        self._offers: dict[str, Offered] = {}
        self._facts: dict[bytes, dict[str, int]] = {}

    def learn_query(self, standing_query: StandingQuery, query: Query) -> None:
        self._queries[standing_query.text] = _by_property(query.spans)

    def learn_offer(self, description: Description, offer: Offer) -> None:
        self._offers[description.rdf] = {name: [span] for name, span in _by_property(offer.spans).items()}

    def learn_fact(self, payload: bytes, fact: Fact) -> None:
        self._facts[payload] = dict(fact.values)

    def implies(self, narrow: StandingQuery, wide: StandingQuery) -> bool:
        """Each span of the wide one holds one of the narrow one."""
        inner = self._queries[narrow.text]
        for name, (low, high) in self._queries[wide.text].items():
            found = inner.get(name)
            if found is None or found[0] < low or found[1] > high:
                return False
        return True

    def may_imply(self, narrow: StandingQuery, wide: StandingQuery) -> bool:
        """As quick as `implies`."""
        return self.implies(narrow, wide)

    def covers(self, description: Description, standing_query: StandingQuery) -> bool:
        """Each property that is asked is offered, and the spans meet."""
        offered = self._offers.get(description.rdf)
        if offered is None:
            # A super-peer has combined it of several.
            offered = self._offers[description.rdf] = _read(description)
        for name, (low, high) in self._queries[standing_query.text].items():
            if not any(found[1] >= low and found[0] <= high for found in offered.get(name, ())):
                return False
        return True

    def matches(self, standing_query: StandingQuery, publication: Publication) -> bool:
        """Each property that is asked has a value, within its span."""
        values = self._facts[publication.nquads]
        for name, (low, high) in self._queries[standing_query.text].items():
            value = values.get(name)
            if value is None or value < low or value > high:
                return False
        return True


def _by_property(spans: tuple[Span, ...]) -> Spans:
    return {span.property: (span.low, span.high) for span in spans}


def _read(description: Description) -> Offered:
    """What a description of `RdfEncoding` says: of each property intervals and single numbers."""
    values = supply_in(description).values
    return {name.value.rpartition(":")[2]: [_ends(value) for value in found] for name, found in values.items()}


def _ends(value: Value) -> tuple[int, int]:
    low, high = (value.low, value.high) if isinstance(value, Interval) else (value, value)
    return int(low.value), int(high.value)  # type: ignore[union-attr]  # numbers, with both ends
