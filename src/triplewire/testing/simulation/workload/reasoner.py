"""A reasoner that was told what the texts mean, and so answers at once and exactly."""

from __future__ import annotations

from triplewire.algebra.advertisements.value_sets import Interval, Value
from triplewire.network.messages import Description, Publication, StandingQuery
from triplewire.network.routing.advertisements.descriptions import supply_in
from triplewire.testing.simulation.workload.facts import Fact, Offer, Query, Span

Spans = dict[str, tuple[int, int]]
# What is offered of a property: any of these.
Offered = dict[str, list[tuple[int, int]]]


class QuickReasoner:
    """Stands in for `AlgebraReasoner`.

    >>> quick, narrow, wide = QuickReasoner(), StandingQuery("n", "", "narrow"), StandingQuery("w", "", "wide")
    >>> quick.learn_query(narrow, Query((Span("a", 2, 3), Span("b", 1, 1))))
    >>> quick.learn_query(wide, Query((Span("a", 1, 5),)))
    >>> quick.implies(narrow, wide), quick.implies(wide, narrow)
    (True, False)
    >>> quick.learn_offer(Description("d", "offer"), Offer((Span("a", 5, 9),)))
    >>> quick.covers(Description("d", "offer"), wide), quick.covers(Description("d", "offer"), narrow)
    (True, False)
    """

    def __init__(self) -> None:
        self._asked: dict[str, Spans] = {}
        self._offered: dict[str, Offered] = {}
        self._said: dict[bytes, dict[str, int]] = {}

    def learn_query(self, standing_query: StandingQuery, query: Query) -> None:
        self._asked[standing_query.text] = _by_property(query.spans)

    def learn_offer(self, description: Description, offer: Offer) -> None:
        self._offered[description.rdf] = {name: [span] for name, span in _by_property(offer.spans).items()}

    def learn_fact(self, payload: bytes, fact: Fact) -> None:
        self._said[payload] = dict(fact.values)

    def implies(self, narrow: StandingQuery, wide: StandingQuery) -> bool:
        """Each span of the wide one holds one of the narrow one."""
        inner = self._asked[narrow.text]
        for name, (low, high) in self._asked[wide.text].items():
            found = inner.get(name)
            if found is None or found[0] < low or found[1] > high:
                return False
        return True

    def may_imply(self, narrow: StandingQuery, wide: StandingQuery) -> bool:
        """Asking is as quick as a glance."""
        return self.implies(narrow, wide)

    def covers(self, description: Description, standing_query: StandingQuery) -> bool:
        """Each property that is asked is offered, and the spans meet."""
        offered = self._offered.get(description.rdf)
        if offered is None:
            # Nobody said this alone: a super-peer has put it together.
            offered = self._offered[description.rdf] = _read(description)
        for name, (low, high) in self._asked[standing_query.text].items():
            if not any(found[1] >= low and found[0] <= high for found in offered.get(name, ())):
                return False
        return True

    def matches(self, standing_query: StandingQuery, publication: Publication) -> bool:
        """Each property that is asked has a value, within its span."""
        said = self._said[publication.nquads]
        for name, (low, high) in self._asked[standing_query.text].items():
            value = said.get(name)
            if value is None or value < low or value > high:
                return False
        return True


def _by_property(spans: tuple[Span, ...]) -> Spans:
    return {span.property: (span.low, span.high) for span in spans}


def _read(description: Description) -> Offered:
    """What a description of `Dialect` says: of each property intervals and single numbers."""
    values = supply_in(description).values
    return {name.value.rpartition(":")[2]: [_ends(value) for value in found] for name, found in values.items()}


def _ends(value: Value) -> tuple[int, int]:
    low, high = (value.low, value.high) if isinstance(value, Interval) else (value, value)
    return int(low.value), int(high.value)  # type: ignore[union-attr]  # numbers, with both ends
