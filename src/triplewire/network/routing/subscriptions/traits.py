"""Traits: what an event must have for a query to match it, as far as the query's text shows it at once.

Two uses, both to compare few instead of all. An event can only match a query whose traits it has. And where a narrow
query implies a wide one, every event that the narrow one matches has the wide one's traits, so the narrow one shows
them itself, unless it hides them: behind a variable in place of a predicate, or behind a constraint on an object.
A query that can never match implies everything, and is not looked for.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from msgspec import Struct

from triplewire.algebra.constraints import variables_in
from triplewire.algebra.patterns import Pattern, Variable
from triplewire.algebra.queries import Core, cores_of
from triplewire.network.messages import StandingQuery
from triplewire.network.routing.subscriptions.standing_queries import parsed
from triplewire.rdf.events import Event
from triplewire.rdf.terms import NamedNode, Term

# A predicate, alone or with its object.
Trait = tuple[NamedNode, Term | None]

_KEPT = 131_072


class Traits(Struct, frozen=True):
    """What a query shows. `hidden` are predicates with an object that may turn out to be one constant."""

    shown: frozenset[Trait]
    hidden: frozenset[NamedNode] = frozenset()
    hides_all: bool = False

    def may_imply(self, wide: Traits) -> bool:
        """Whether a query with these traits may imply one with those. A no is certain."""
        return self.hides_all or all(self.may_show(trait) for trait in wide.shown)

    def may_show(self, trait: Trait) -> bool:
        return self.hides_all or trait in self.shown or (trait[1] is not None and trait[0] in self.hidden)

    @property
    def anchor(self) -> Trait | None:
        """The trait to index the query under: with an object if there is one, since that is rarer."""
        return min(self.shown, key=_commonness, default=None)


@lru_cache(maxsize=_KEPT)
def traits_of(query: StandingQuery) -> Traits:
    """The traits of a standing query: those that all its alternatives have in common."""
    alternatives = [_of_core(core) for core in cores_of(parsed(query))]
    if not alternatives:
        return Traits(frozenset(), hides_all=True)
    shown = frozenset.intersection(*(alternative.shown for alternative in alternatives))
    hidden = frozenset().union(*(alternative.hidden for alternative in alternatives))
    return Traits(shown, hidden, any(alternative.hides_all for alternative in alternatives))


def traits_in(event: Event) -> frozenset[Trait]:
    """The traits that an event has."""
    both = [(triple.predicate, triple.object) for triple in event.triples]
    return frozenset((*both, *((predicate, None) for predicate, _ in both)))


def _of_core(core: Core) -> Traits:
    tested = {
        v
        for alternative in core.constraint.alternatives
        for condition in alternative
        for v in variables_in(condition.test)
    }
    named = [(p.predicate, p) for p in core.patterns if isinstance(p.predicate, NamedNode)]
    shown = frozenset(trait for name, pattern in named for trait in _shown(name, pattern))
    hidden = frozenset(name for name, pattern in named if pattern.object in tested)
    return Traits(shown, hidden, len(named) < len(core.patterns))


def _shown(name: NamedNode, pattern: Pattern) -> Iterable[Trait]:
    return ((name, None),) if isinstance(pattern.object, Variable) else ((name, None), (name, pattern.object))


def _commonness(trait: Trait) -> tuple[bool, str]:
    return trait[1] is None, str(trait)
