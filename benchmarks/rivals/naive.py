"""The naive scan: every subscription is checked in turn, by backtracking over the event's triples."""

from __future__ import annotations

from collections.abc import Iterable

from benchmarks.rivals.ancestry import Lineage, Parents, parents_in
from benchmarks.rivals.publications import PerEvent, Triple
from benchmarks.rivals.reading import Pattern, Standing, is_variable, read_all
from triplewire import Subscription, Taxonomy

Binding = dict[str, str]


class Naive(PerEvent):
    """No index of anything."""

    name = "naive scan"

    def __init__(self) -> None:
        self._subscriptions: list[Standing] = []
        self._parents: Parents = {}

    def build(self, subscriptions: Iterable[Subscription], taxonomy: Taxonomy | None = None) -> None:
        self._subscriptions = read_all(subscriptions)
        self._parents = parents_in(taxonomy)

    def match_event(self, triples: list[Triple]) -> set[str]:
        lineage = Lineage(self._parents, triples)
        return {s.id for s in self._subscriptions if _matches(s, 0, {}, triples, lineage)}


def _matches(subscription: Standing, step: int, binding: Binding, triples: list[Triple], lineage: Lineage) -> bool:
    if step == len(subscription.patterns):
        return subscription.accepts(binding, lineage)
    pattern = subscription.patterns[step]
    return any(
        (extended := bound_by(pattern, triple, binding)) is not None
        and _matches(subscription, step + 1, extended, triples, lineage)
        for triple in triples
    )


def bound_by(pattern: Pattern, triple: Triple, binding: Binding) -> Binding | None:
    """The binding with what the triple says of the pattern's variables; None where they do not fit."""
    if pattern[1] != triple[1]:
        return None
    extended = binding
    for wanted, found in ((pattern[0], triple[0]), (pattern[2], triple[2])):
        if not is_variable(wanted):
            if wanted != found:
                return None
        elif wanted not in extended:
            extended = {**extended, wanted: found}
        elif extended[wanted] != found:
            return None
    return extended
