"""A node of the event space: the gateway of its clients and the holder of its zones put together, without I/O.

Every method returns effects; the space below routes them, the shell around carries out the rest.

    node = SpaceNode("n1", zones=[SPACE], strategy=PublicationStrategy.OSMA)
    stamp, effects = node.subscribe(subscription)
    stamp, effects = node.publish(event, seen={"n2": 17})
    effects = node.receive(message)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.network.can.space import Zone
from triplewire.network.eventspace import messages
from triplewire.network.eventspace.causality import Stamp
from triplewire.network.eventspace.effects import SpaceEffect
from triplewire.network.eventspace.gateway import Gateway
from triplewire.network.eventspace.messages import SpaceMessage
from triplewire.network.eventspace.strategy import PublicationStrategy
from triplewire.network.eventspace.zone_holder import MOST_REWRITINGS, ZoneHolder
from triplewire.rdf.events import Event

_NOTHING_SEEN: Mapping[str, int] = MappingProxyType({})


class SpaceNode:
    """One node. `holder.zones` are the zones that the space has given it."""

    def __init__(
        self,
        name: str,
        zones: Iterable[Zone] = (),
        strategy: PublicationStrategy = PublicationStrategy.AUTO,
        taxonomy: Taxonomy | None = None,
        *,
        most_rewritings: int = MOST_REWRITINGS,
    ) -> None:
        self.name = name
        self.holder = ZoneHolder(name, zones, most_rewritings=most_rewritings)
        self.gateway = Gateway(name, strategy, taxonomy)
        self._receivers: dict[type, Callable[[Any], Iterable[SpaceEffect]]] = {
            messages.IndexSubscription: self.holder.index,
            messages.RemoveSubscription: self.holder.remove,
            messages.MatchRewritten: self.holder.match_rewritten,
            messages.CollectEvent: self.holder.collect,
            messages.StoreQuad: self.holder.store_quad,
            messages.StoreEvent: self.holder.store_event,
            messages.EventSettled: self.holder.settle,
            messages.SubscriptionIndexed: self.gateway.indexed,
            messages.QuadsStored: self.gateway.stored,
            messages.AskSettled: self.gateway.answer_settled,
            messages.CandidateFound: self.gateway.candidate,
            messages.QuadsFound: self.gateway.found,
        }

    def publish(self, event: Event, seen: Mapping[str, int] = _NOTHING_SEEN) -> tuple[Stamp, list[SpaceEffect]]:
        """Publish an event for a client that has come so far in the logs of other nodes."""
        stamp, effects = self.gateway.publish(event, seen)
        return stamp, list(effects)

    def subscribe(
        self, subscription: Subscription, seen: Mapping[str, int] = _NOTHING_SEEN
    ) -> tuple[Stamp, list[SpaceEffect]]:
        """Subscribe for a client that has come so far in the logs of other nodes."""
        stamp, effects = self.gateway.subscribe(subscription, seen)
        return stamp, list(effects)

    def unsubscribe(self, stamp: Stamp) -> list[SpaceEffect]:
        """Withdraw the subscription with that stamp."""
        return list(self.gateway.unsubscribe((stamp.origin, stamp.position)))

    def receive(self, message: SpaceMessage) -> list[SpaceEffect]:
        """Take a message from the space."""
        return list(self._receivers[type(message)](message))
