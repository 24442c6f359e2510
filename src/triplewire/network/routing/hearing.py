"""Hearing: which subscriptions of a super-peer an event matches, whoever they came from.

Two ways that agree: down the poset, as algorithm 2 has it (`Descent`), and by the matcher's compiled index
(`Compiled`), which is what a node uses: thousands of subscriptions cost it no more than a few.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Protocol

from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.matching import Matcher
from triplewire.matching.evaluators import IN_PROCESS, Evaluator
from triplewire.network.messages import Publication, Standing
from triplewire.network.routing.poset import Poset


class Hearing(Protocol):
    """What a router wants to know of an event."""

    def begin(self, standing: Standing) -> None:
        """A subscription begins here."""

    def end(self, key: str) -> None:
        """A subscription is gone from here."""

    def hearers(self, publication: Publication) -> Collection[str]:
        """The keys of those that match."""


class Descent:
    """Algorithm 2 of Chirita et al.: a subscription is only tested if those above it match."""

    def __init__(self, poset: Poset[Any]) -> None:
        self._poset = poset

    def begin(self, standing: Standing) -> None:
        """The poset has it already."""

    def end(self, key: str) -> None:
        """The poset has forgotten it already."""

    def hearers(self, publication: Publication) -> Collection[str]:
        return self._poset.matching(publication)


class Compiled:
    """The matcher, with subscriptions under their keys."""

    def __init__(self, taxonomy: Taxonomy | None = None, evaluator: Evaluator = IN_PROCESS) -> None:
        self._matcher = Matcher(taxonomy, evaluator=evaluator)

    def begin(self, standing: Standing) -> None:
        self._matcher.add(Subscription.parse(standing.text, standing.language, id=standing.key))

    def end(self, key: str) -> None:
        self._matcher.remove(key)

    def hearers(self, publication: Publication) -> Collection[str]:
        return self._matcher.match_nquads(publication.nquads).subscription_ids
