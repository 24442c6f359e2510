"""Under what can a subscription be filed? The index itself is asked, and so are the constants of its patterns."""

from __future__ import annotations

from msgspec import Struct

from triplewire.algebra.patterns import PatternTerm, Variable
from triplewire.algebra.queries import Core, cores_of
from triplewire.algebra.subscriptions import Subscription
from triplewire.matching.chains.steps import in_join_order
from triplewire.matching.segments.event_statistics import NOTHING_SEEN
from triplewire.matching.segments.records import SegmentDraft
from triplewire.matching.segments.segment import segment_of
from triplewire.rdf.terms import Term


class Anchor(Struct, frozen=True):
    """What one quad must be, as far as it is fixed: every event that satisfies the core has such a quad."""

    subject: Term | None
    predicate: Term | None
    object: Term | None

    @property
    def terms(self) -> tuple[Term | None, Term | None, Term | None]:
        return self.subject, self.predicate, self.object


def is_unindexed(subscription: Subscription) -> bool:
    """Whether some core requires nothing that could be an anchor or a guard."""
    draft = SegmentDraft()
    draft.add(subscription, 0)
    return segment_of(*draft.records(), seed=0, seen=NOTHING_SEEN).unindexed > 0


def anchors_of(subscription: Subscription) -> tuple[tuple[Anchor, ...], ...]:
    """For each core, what it could be filed under, in the order of the join. Nothing: any event may satisfy it.

    >>> s = Subscription.parse("SELECT ?x { ?x <urn:p> ?y . ?x <urn:q> ?z FILTER(?z = <urn:o>) }")
    >>> [str(anchor.object) for anchor in anchors_of(s)[0]]
    ['<urn:o>', 'None']
    """
    return tuple(_anchors(core) for core in cores_of(subscription.query) if core.constraint.alternatives)


def _anchors(core: Core) -> tuple[Anchor, ...]:
    anchors = [Anchor(*(_constant(term) for term in pattern)) for pattern in in_join_order(core)]
    return tuple(anchor for anchor in dict.fromkeys(anchors) if any(term is not None for term in anchor.terms))


def _constant(term: PatternTerm) -> Term | None:
    return None if isinstance(term, Variable) else term
