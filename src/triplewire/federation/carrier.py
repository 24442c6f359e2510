"""Carries what one super-peer says about rules over the network of super-peers: relayed, or broadcast over the cube.

What a shell does with the effects of `network.SuperPeer` stays as it is; this turns those of rules into them, and
bodies that arrive into messages.
"""

from __future__ import annotations

from collections.abc import Iterable

from triplewire.errors import InputError, MessageRefused
from triplewire.federation.codec import Announced, Body, decode, encode
from triplewire.federation.delivery import Acknowledgement, Delivery, Parcel
from triplewire.federation.effects import Effect, ToAll, ToSuperPeer
from triplewire.federation.execution.coordinator import Effects
from triplewire.federation.execution.effects import Happening, MessageDropped, ToPeer
from triplewire.federation.messages import Message
from triplewire.federation.super_peer import RuleSuperPeer
from triplewire.network.effects import Effect as NetworkEffect
from triplewire.network.superpeer import SuperPeer

Local = list[ToPeer | Happening]
"""What is left for the shell: requests to peers, and what has happened."""


class Carrier:
    """`rules` and `delivery` have to survive a restart; the super-peer of the network is another one afterwards.

    `now` is the time of the rules, which goes on over restarts, `network_now` that of the super-peer.
    """

    def __init__(self, rules: RuleSuperPeer, delivery: Delivery, network: SuperPeer) -> None:
        self.rules = rules
        self.delivery = delivery
        self.network = network

    def send(
        self, now: float, network_now: float, effects: Effects | Iterable[Effect]
    ) -> tuple[list[NetworkEffect], Local]:
        """Turn effects of rules into those of the network, and those that are left."""
        out: list[NetworkEffect] = []
        local: Local = []
        for effect in effects:
            if isinstance(effect, ToAll):
                out += self.network.broadcast(network_now, encode(Announced(self.rules.me, effect.message)))
            elif isinstance(effect, ToSuperPeer):
                out += self._relay(network_now, self.delivery.send(now, effect.to, effect.message))
            else:
                local.append(effect)
        return out, local

    def receive(self, now: float, network_now: float, sender: str, data: bytes) -> tuple[list[NetworkEffect], Local]:
        """A body about rules has arrived, relayed or broadcast. Raises `MessageRefused`."""
        body = decode(data)
        if isinstance(body, Announced):
            return self.send(now, network_now, self._taken(now, body.sender, body.message))
        messages, back = self.delivery.receive(sender, body)
        out = self._relay(network_now, back)
        local: Local = []
        for message in messages:
            more, happened = self.send(now, network_now, self._taken(now, sender, message))
            out += more
            local += happened
        return out, local

    def _taken(self, now: float, sender: str, message: Message) -> Effects:
        """What comes of a message. One that says nothing that can be done does not keep back those behind it."""
        try:
            return self.rules.receive(now, sender, message)
        except (InputError, MessageRefused) as error:
            return [MessageDropped(sender, error.message)]

    def tick(self, now: float, network_now: float) -> tuple[list[NetworkEffect], Local]:
        """Do what is due."""
        out = self._relay(network_now, self.delivery.tick(now))
        more, local = self.send(now, network_now, self.rules.tick(now))
        return [*out, *more], local

    def _relay(self, network_now: float, items: Iterable[tuple[str, Parcel | Acknowledgement]]) -> list[NetworkEffect]:
        bodies: list[tuple[str, Body]] = [*items]
        return [effect for to, body in bodies for effect in self.network.relay(network_now, to, encode(body))]
