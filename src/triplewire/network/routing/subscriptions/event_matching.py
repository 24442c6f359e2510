"""Matching of events against the subscriptions of a super-peer, whatever their origin.

Two implementations that agree: down the poset, as algorithm 2 has it (`PosetMatcher`), and by the matcher's compiled
index (`CompiledMatcher`), which is what a node uses: thousands of subscriptions cost it no more than a few.

What is published here is matched against the subscriptions of downstreams only: the broker matches those of our own
peers, when it stores the event. What comes from upstream is matched against both, since it is only stored if one of our
own peers subscribes to it.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Protocol

from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.matching import Matcher
from triplewire.network.messages import Publication, StandingQuery
from triplewire.network.routing.subscriptions.forwarding import Origin
from triplewire.network.routing.subscriptions.poset import Poset


class EventMatcher(Protocol):
    """What a router needs: the standing queries that an event matches."""

    def add(self, query: StandingQuery, origin: Origin) -> None:
        """Add an origin of a query."""

    def remove(self, key: str, origin: Origin) -> None:
        """Remove an origin of a query."""

    def matching_keys(self, publication: Publication) -> Collection[str]:
        """The keys of the queries that match."""

    def matching_keys_downstream(self, publication: Publication) -> Collection[str]:
        """The keys of the queries of downstreams that match; more of them do no harm."""


class PosetMatcher:
    """Algorithm 2 of Chirita et al.: a subscription is only tested if those above it match."""

    def __init__(self, poset: Poset[Any]) -> None:
        self._poset = poset

    def add(self, query: StandingQuery, origin: Origin) -> None:
        """The poset has it already."""

    def remove(self, key: str, origin: Origin) -> None:
        """The poset has removed it already."""

    def matching_keys(self, publication: Publication) -> Collection[str]:
        return self._poset.matching(publication)

    def matching_keys_downstream(self, publication: Publication) -> Collection[str]:
        return self._poset.matching(publication)


class CompiledMatcher:
    """Two compiled matchers, with subscriptions under their keys: of our own peers, and of downstreams."""

    def __init__(self, taxonomy: Taxonomy | None = None) -> None:
        self._ours = _OriginMatcher(Matcher(taxonomy))
        self._downstream = _OriginMatcher(Matcher(taxonomy))

    def add(self, query: StandingQuery, origin: Origin) -> None:
        self._matcher_of(origin).add(query, origin)

    def remove(self, key: str, origin: Origin) -> None:
        self._matcher_of(origin).remove(key, origin)

    def matching_keys(self, publication: Publication) -> Collection[str]:
        return {*self._ours.matching_keys(publication), *self._downstream.matching_keys(publication)}

    def matching_keys_downstream(self, publication: Publication) -> Collection[str]:
        return self._downstream.matching_keys(publication)

    def _matcher_of(self, origin: Origin) -> _OriginMatcher:
        return self._ours if isinstance(origin, str) else self._downstream


class _OriginMatcher:
    """A compiled matcher, and the origins of each query: it is there as long as it has one."""

    def __init__(self, matcher: Matcher) -> None:
        self._matcher = matcher
        self._origins: dict[str, set[Origin]] = {}

    def add(self, query: StandingQuery, origin: Origin) -> None:
        if query.key not in self._origins:
            self._matcher.add(Subscription.parse(query.text, query.language, id=query.key))
        self._origins.setdefault(query.key, set()).add(origin)

    def remove(self, key: str, origin: Origin) -> None:
        origins = self._origins.get(key, set())
        origins.discard(origin)
        if not origins and self._origins.pop(key, None) is not None:
            self._matcher.remove(key)

    def matching_keys(self, publication: Publication) -> Collection[str]:
        if not self._origins:
            return ()
        return self._matcher.match_nquads(publication.nquads).subscription_ids
