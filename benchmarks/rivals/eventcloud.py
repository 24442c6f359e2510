"""EventCloud's CSMA (section 4.1) on one peer: an index by first pattern, then a chain of rewritten subscriptions.

A subscription is stored under the fixed parts of its first sub-subscription. A quadruple that matches it rewrites the
subscription: variables get the quadruple's values, the pattern is struck off, the event's identity is added, and what
is left is indexed again. On one peer that means: it is looked up among the quadruples of the same compound event, by
the fixed parts of what is now its first pattern. The FILTER is asked when the chain has reached its end. Several ends
mean several notifications, which the subscriber filters: here, a set.
"""

from __future__ import annotations

from collections.abc import Iterable

from benchmarks.rivals.ancestry import Lineage, Parents, parents_in
from benchmarks.rivals.naive import Binding, bound_by
from benchmarks.rivals.publications import PerEvent, Triple
from benchmarks.rivals.reading import Pattern, Standing, is_variable, read_all
from triplewire import Subscription, Taxonomy

# The fixed parts of a pattern; an empty text where it is free. The predicate is always fixed here.
Fixed = tuple[str, str, str]


class EventCloud(PerEvent):
    """One peer that is responsible for everything."""

    name = "EventCloud"

    def __init__(self) -> None:
        self._index: dict[Fixed, list[Standing]] = {}
        self._parents: Parents = {}

    def build(self, subscriptions: Iterable[Subscription], taxonomy: Taxonomy | None = None) -> None:
        self._parents = parents_in(taxonomy)
        for subscription in read_all(subscriptions):
            self._index.setdefault(_fixed(subscription.patterns[0], {}), []).append(subscription)

    def match_event(self, triples: list[Triple]) -> set[str]:
        stored = _stored(triples)
        lineage = Lineage(self._parents, triples)
        found: set[str] = set()
        for triple in triples:
            for key in _keys(triple):
                for subscription in self._index.get(key, ()):
                    if subscription.id not in found and _chain(subscription, 0, {}, [triple], stored, lineage):
                        found.add(subscription.id)
        return found


def _chain(
    subscription: Standing,
    step: int,
    binding: Binding,
    received: list[Triple],
    stored: dict[Fixed, list[Triple]],
    lineage: Lineage,
) -> bool:
    """Whether some of the received quadruples match this sub-subscription, and stored ones the rest of the chain."""
    pattern = subscription.patterns[step]
    for triple in received:
        rewritten = bound_by(pattern, triple, binding)
        if rewritten is None:
            continue
        if step + 1 == len(subscription.patterns):
            if subscription.accepts(rewritten, lineage):
                return True
            continue
        following = stored.get(_fixed(subscription.patterns[step + 1], rewritten), [])
        if _chain(subscription, step + 1, rewritten, following, stored, lineage):
            return True
    return False


def _fixed(pattern: Pattern, binding: Binding) -> Fixed:
    subject, predicate, thing = (binding.get(term, "") if is_variable(term) else term for term in pattern)
    return subject, predicate, thing


def _keys(triple: Triple) -> tuple[Fixed, ...]:
    subject, predicate, thing = triple
    return triple, (subject, predicate, ""), ("", predicate, thing), ("", predicate, "")


def _stored(triples: list[Triple]) -> dict[Fixed, list[Triple]]:
    stored: dict[Fixed, list[Triple]] = {}
    for triple in triples:
        for key in _keys(triple):
            stored.setdefault(key, []).append(triple)
    return stored
