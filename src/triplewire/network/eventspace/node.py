"""A node of the event space: the gateway of its clients and the holder of its zones put together, without I/O.

Every method returns effects; the space below routes them, the shell around carries out the rest.

    node = SpaceNode(Address("n1", "tcp://…"), storage, zones=[SPACE], strategy=PublicationStrategy.OSMA)
    stamp, effects = node.subscribe(subscription)
    stamp, effects = node.publish(1, event, seen={"n2": 17})
    effects = node.receive(message)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from triplewire.algebra.subscriptions import Subscription
from triplewire.network.can.geometry.space import Zone
from triplewire.network.can.messages import Address
from triplewire.network.eventspace import messages
from triplewire.network.eventspace.causality import Stamp
from triplewire.network.eventspace.effects import SpaceEffect
from triplewire.network.eventspace.gateway.gateway import Gateway
from triplewire.network.eventspace.messages import SpaceMessage
from triplewire.network.eventspace.storage import SpaceStorage
from triplewire.network.eventspace.strategy import PublicationStrategy
from triplewire.network.eventspace.zones.zone_holder import MOST_REWRITINGS, ZoneHolder
from triplewire.rdf.events import Event

_NOTHING_SEEN: Mapping[str, int] = MappingProxyType({})


class SpaceNode:
    """One node, over a storage that may have all that it did before. `holder.zones` is what the space has given it."""

    def __init__(
        self,
        me: Address,
        storage: SpaceStorage,
        zones: Iterable[Zone] = (),
        strategy: PublicationStrategy = PublicationStrategy.AUTO,
        *,
        most_rewritings: int = MOST_REWRITINGS,
    ) -> None:
        self.me = me
        self.holder = ZoneHolder(me, storage, zones, most_rewritings=most_rewritings)
        self.gateway = Gateway(me, storage, strategy)
        self._receivers: dict[type, Callable[[Any], Iterable[SpaceEffect]]] = {
            messages.IndexSubscription: self.holder.index,
            messages.RemoveSubscription: self.holder.remove,
            messages.MatchRewritten: self.holder.match_rewritten,
            messages.RematchEvents: self.holder.rematch,
            messages.CollectEvent: self.holder.collect,
            messages.StoreQuad: self.holder.store_quad,
            messages.StoreEvent: self.holder.store_event,
            messages.EventSettled: self.holder.settle,
            messages.PublicationRefused: self.gateway.refused,
            messages.AskSettled: self.gateway.answer_settled,
            messages.CandidateFound: self.gateway.candidate,
            messages.QuadsFound: self.gateway.found,
        }

    def start(self) -> list[SpaceEffect]:
        """Go on where the storage says that this node was."""
        return [*self.gateway.resume(), *self.holder.ask_again()]

    def publish(
        self, ticket: int, event: Event, seen: Mapping[str, int] = _NOTHING_SEEN
    ) -> tuple[Stamp, list[SpaceEffect]]:
        """Publish an event for a client that has come so far in the logs of other nodes."""
        stamp, effects = self.gateway.publish(ticket, event, seen)
        return stamp, list(effects)

    def subscribe(
        self, subscription: Subscription, seen: Mapping[str, int] = _NOTHING_SEEN
    ) -> tuple[Stamp, list[SpaceEffect]]:
        """Subscribe for a client that has come so far in the logs of other nodes."""
        stamp, effects = self.gateway.subscribe(subscription, seen)
        return stamp, list(effects)

    def unsubscribe(self, subscription_id: str) -> list[SpaceEffect]:
        """Withdraw a subscription."""
        return list(self.gateway.unsubscribe(subscription_id))

    def completed(self, key: str) -> list[SpaceEffect]:
        """What was sent under a key has reached everybody whom it concerns, and is stored there."""
        return list(self.gateway.completed(key))

    def receive(self, message: SpaceMessage) -> list[SpaceEffect]:
        """Take a message from the space."""
        return list(self._receivers[type(message)](message))
