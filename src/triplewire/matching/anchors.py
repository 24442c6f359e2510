"""Under what can a subscription be filed? The index itself is asked, and so are the constants of its patterns."""

from __future__ import annotations

from functools import reduce
from typing import cast

from msgspec import Struct

from triplewire.algebra.constraints import Comparator, ComparisonTest, Condition, Constraint
from triplewire.algebra.patterns import Pattern, PatternTerm, Variable
from triplewire.algebra.queries import Core, cores_of
from triplewire.algebra.subscriptions import Subscription
from triplewire.matching.segments.encoding import visiting_order
from triplewire.matching.segments.event_statistics import NOTHING_SEEN
from triplewire.matching.segments.records import SegmentDraft
from triplewire.matching.segments.segment import segment_of
from triplewire.rdf.terms import XSD, Literal, NamedNode, Term


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


def chain_of(core: Core) -> list[Pattern]:
    """The core's patterns in the order of the join, with the constants that its constraint puts into them."""
    values = _equalities(core.constraint)
    fixed = tuple(Pattern(*(_fixed(term, values) for term in pattern)) for pattern in core.patterns)
    return visiting_order(Core(fixed, graphs=core.graphs))


def _anchors(core: Core) -> tuple[Anchor, ...]:
    anchors = [Anchor(*(_constant(term) for term in pattern)) for pattern in chain_of(core)]
    return tuple(anchor for anchor in dict.fromkeys(anchors) if any(term is not None for term in anchor.terms))


def _constant(term: PatternTerm) -> Term | None:
    return None if isinstance(term, Variable) else term


def _fixed(term: PatternTerm, values: dict[Variable, NamedNode | Literal]) -> PatternTerm:
    return values.get(term, term) if isinstance(term, Variable) else term


def _equalities(constraint: Constraint) -> dict[Variable, NamedNode | Literal]:
    """The variables that every alternative wants to be one and the same term."""
    alternatives = [frozenset(alternative) for alternative in constraint.alternatives]
    common: frozenset[Condition] = reduce(frozenset.__and__, alternatives) if alternatives else frozenset()
    tests = (condition.test for condition in common if condition.holds)
    equal = (test for test in tests if isinstance(test, ComparisonTest) and test.operator is Comparator.EQUAL)
    sides = [pair for test in equal for pair in ((test.left, test.right), (test.right, test.left))]
    return {
        left: cast("NamedNode | Literal", right)
        for left, right in sides
        if isinstance(left, Variable) and _is_same_term(right)
    }


def _is_same_term(operand: object) -> bool:
    """Whether being equal to this constant means being the very same term: IRIs and plain strings, no numbers."""
    return isinstance(operand, NamedNode) or (isinstance(operand, Literal) and operand.datatype == XSD["string"])
