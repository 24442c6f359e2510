"""Connects the host of the machine with all around it: other super-peers, the living graph, the peers of the group.

What comes in becomes inputs; outputs go where they say. Other super-peers are reached over the overlay, which may lose
what is said: the machine repeats it.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from hashlib import blake2b

from triplewire.errors import StoreError
from triplewire.federation import inputs
from triplewire.federation.codec import is_about_rules
from triplewire.federation.execution.effects import InquiryAnswered, ToPeer
from triplewire.federation.indexes.group_index import PeerView
from triplewire.federation.machine import MachineSetup, RuleMachine
from triplewire.federation.outputs import (
    Broadcast,
    InquiryBegun,
    Output,
    Relay,
    RuleRegistered,
    TransactionSubmitted,
)
from triplewire.federation.sites.requests import FromPeer, FromSuperPeer
from triplewire.federation.timings import FederationTimings
from triplewire.network.effects import BroadcastReceived
from triplewire.node.broker.broker import Broker
from triplewire.node.federation.happenings import Happenings
from triplewire.node.federation.host import RuleHost
from triplewire.node.federation.living_site import LivingSite
from triplewire.node.federation.network_watch import NetworkWatch
from triplewire.node.overlay.overlay import Overlay
from triplewire.rules.schema import Schema
from triplewire.system.supervisor import Supervisor
from triplewire.wire.network_rules import NetworkTrace, RuleRelevance

_log = logging.getLogger(__name__)
_WATCH_SECONDS = 1.0
_MOST_ANSWERS = 1_000


class Participation:
    """`me` is the identifier of the super-peer, and that of its own living graph as a peer."""

    def __init__(self, broker: Broker, overlay: Overlay, host: RuleHost, happenings: Happenings) -> None:
        self.me = overlay.id
        self.host = host
        self.happenings = happenings
        self.site = LivingSite(self.me, broker, self._joined, lambda message: self.said(self.me, message))
        # Says something to another peer of the group, if it is on-line.
        self.to_peer: Callable[[str, FromSuperPeer], None] | None = None
        # What others have answered, until somebody takes it.
        self.answered: OrderedDict[str, RuleRelevance | NetworkTrace] = OrderedDict()
        self._overlay = overlay
        self._network = NetworkWatch(self.me)
        self._moved = asyncio.Event()
        self._is_listening = False
        self._tasks = Supervisor(reported_elsewhere=(StoreError,))
        host.release = self._release
        host.listeners.append(self._wake)

    @classmethod
    async def open(cls, broker: Broker, overlay: Overlay, timings: FederationTimings) -> Participation:
        """Read what the last process has left."""
        setup = MachineSetup(me=overlay.id, whole=Schema(()), seed=_seed(overlay.id), timings=timings)
        return cls(broker, overlay, await RuleHost.open(broker.store, setup), Happenings(_log))

    @property
    def machine(self) -> RuleMachine:
        """The machine, to read it."""
        return self.host.machine

    # Start and stop

    async def begin(self) -> None:
        """Take part: go on where the last process stopped."""
        self.host.begin()
        self._see_network()
        for peer in self.machine.rules.group.peers:
            if peer != self.me:
                # Its session has ended with the last process.
                self.host.take(inputs.PeerLeft(self.host.now, peer))
        await self.site.begin()
        await self._join_if_new()
        self._is_listening = True
        self._overlay.member_listeners.append(self._see_network)
        self._overlay.relay_listeners.append(self._relayed)
        self._overlay.broadcast_listeners.append(self._announced)
        self._tasks.start("rules' network", self._watch())

    async def stop(self) -> None:
        """Take part no longer. The next process goes on."""
        if self._is_listening:
            self._is_listening = False
            self._overlay.member_listeners.remove(self._see_network)
            self._overlay.relay_listeners.remove(self._relayed)
            self._overlay.broadcast_listeners.remove(self._announced)
        await self._tasks.stop()
        await self.site.stop()
        await self.host.stop()
        self._wake()

    async def until(self, holds: Callable[[], bool], seconds: float) -> bool:
        """Wait until something holds that the machine decides; False: the time is over, or the node stops."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while not holds() and self.host.failure is None:
                    await self._moved.wait()
        return holds()

    # Inputs

    def said(self, peer: str, message: FromPeer) -> None:
        """A peer of the group has said something."""
        self.host.take(inputs.FromPeerReceived(self.host.now, peer, message))

    def _joined(self, view: PeerView, next_serial: int) -> None:
        self.host.take(inputs.PeerJoined(self.host.now, self.me, view, next_serial))

    def _relayed(self, sender: str, body: bytes) -> None:
        # The access point hears its own messages on the same way.
        if is_about_rules(body):
            self.host.take(inputs.BodyReceived(self.host.now, sender, body))

    def _announced(self, received: BroadcastReceived) -> None:
        if is_about_rules(received.body):
            self.host.take(inputs.BodyReceived(self.host.now, "", received.body))

    def _see_network(self) -> None:
        news = self._network.news(self.host.now, self._overlay.peer.members)
        if news is not None:
            self.host.take(news)

    async def _join_if_new(self) -> None:
        """The node's own graph joins once; the machine follows it from then on, over restarts."""
        view, next_serial = await self.site.view()
        group = self.machine.rules.group
        if self.me not in group or group[self.me].declared != view.declared:
            self._joined(view, next_serial)

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(_WATCH_SECONDS)
            self._see_network()
            with suppress(StoreError):
                await self.site.repeat()

    # Outputs

    def _release(self, output: Output) -> None:
        match output:
            case Relay(to, data):
                self._overlay.relay(to, data)
            case Broadcast(data):
                self._overlay.broadcast(data)
            case ToPeer(to, request):
                if to == self.me:
                    self.site.receive(request)
                elif self.to_peer is not None:
                    self.to_peer(to, request)
            case InquiryAnswered(inquiry, result):
                self.answered[inquiry] = result
                if len(self.answered) > _MOST_ANSWERS:
                    self.answered.popitem(last=False)
            case RuleRegistered() | TransactionSubmitted() | InquiryBegun():
                pass
            case _:
                self.happenings.note(output)

    def _wake(self) -> None:
        self._moved.set()
        self._moved = asyncio.Event()


def _seed(me: str) -> int:
    """The same in every process, since the inputs are taken again, and another one for each super-peer."""
    return int.from_bytes(blake2b(me.encode(), digest_size=8).digest())
