"""Hearing: which subscriptions of a super-peer an event matches, whoever they came from.

Two ways that agree: down the poset, as algorithm 2 has it (`Descent`), and by the matcher's compiled index
(`Compiled`), which is what a node uses: thousands of subscriptions cost it no more than a few.

What is published here is matched against the subscriptions of those below only: our own peers' are the broker's to
match, when it stores the event. What comes from above is matched against both, since it is only stored if one of our
own peers wants it.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Protocol

from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.matching import Matcher
from triplewire.matching.general.evaluators import IN_PROCESS, Evaluator
from triplewire.network.messages import Publication, Standing
from triplewire.network.routing.subscriptions.forwarding import Origin
from triplewire.network.routing.subscriptions.poset import Poset


class Hearing(Protocol):
    """What a router wants to know of an event."""

    def begin(self, standing: Standing, origin: Origin) -> None:
        """A subscription has come from somewhere."""

    def end(self, key: str, origin: Origin) -> None:
        """A subscription from somewhere has ended."""

    def hearers(self, publication: Publication) -> Collection[str]:
        """The keys of those that match."""

    def hearers_below(self, publication: Publication) -> Collection[str]:
        """The keys of those that match, without those that only peers of ours have; more of them do no harm."""


class Descent:
    """Algorithm 2 of Chirita et al.: a subscription is only tested if those above it match."""

    def __init__(self, poset: Poset[Any]) -> None:
        self._poset = poset

    def begin(self, standing: Standing, origin: Origin) -> None:
        """The poset has it already."""

    def end(self, key: str, origin: Origin) -> None:
        """The poset has forgotten it already."""

    def hearers(self, publication: Publication) -> Collection[str]:
        return self._poset.matching(publication)

    def hearers_below(self, publication: Publication) -> Collection[str]:
        return self._poset.matching(publication)


class Compiled:
    """Two matchers, with subscriptions under their keys: what our own peers want, and what those below want."""

    def __init__(self, taxonomy: Taxonomy | None = None, evaluator: Evaluator = IN_PROCESS) -> None:
        self._ours = _Side(Matcher(taxonomy, evaluator=evaluator))
        self._below = _Side(Matcher(taxonomy, evaluator=evaluator))

    def begin(self, standing: Standing, origin: Origin) -> None:
        self._side(origin).begin(standing, origin)

    def end(self, key: str, origin: Origin) -> None:
        self._side(origin).end(key, origin)

    def hearers(self, publication: Publication) -> Collection[str]:
        return {*self._ours.hearers(publication), *self._below.hearers(publication)}

    def hearers_below(self, publication: Publication) -> Collection[str]:
        return self._below.hearers(publication)

    def _side(self, origin: Origin) -> _Side:
        return self._ours if isinstance(origin, str) else self._below


class _Side:
    """A matcher, and where each of its subscriptions came from: it is there as long as one of these has it."""

    def __init__(self, matcher: Matcher) -> None:
        self._matcher = matcher
        self._origins: dict[str, set[Origin]] = {}

    def begin(self, standing: Standing, origin: Origin) -> None:
        if standing.key not in self._origins:
            self._matcher.add(Subscription.parse(standing.text, standing.language, id=standing.key))
        self._origins.setdefault(standing.key, set()).add(origin)

    def end(self, key: str, origin: Origin) -> None:
        origins = self._origins.get(key, set())
        origins.discard(origin)
        if not origins and self._origins.pop(key, None) is not None:
            self._matcher.remove(key)

    def hearers(self, publication: Publication) -> Collection[str]:
        if not self._origins:
            return ()
        return self._matcher.match_nquads(publication.nquads).subscription_ids
