"""A simulated access point: a super-peer in a process, with its disk and its local peers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from random import Random
from typing import TYPE_CHECKING

import msgspec

from triplewire.network.effects import Accept, BroadcastReceived, Effect, RelayReceived, Replay, SendPacket
from triplewire.network.messages import Packet, Publication
from triplewire.network.superpeer import SuperPeer
from triplewire.testing.simulation.process import Process
from triplewire.testing.simulation.superpeers.disk import (
    Outbox,
    SimulatedDisk,
    StoredAdvertisement,
    StoredRule,
    StoredSubscription,
)
from triplewire.testing.simulation.superpeers.histories.history import (
    MOST_HOPS,
    Accepted,
    GapReported,
    Notified,
    Repeated,
    Trimmed,
)

if TYPE_CHECKING:
    from triplewire.testing.simulation.superpeers.world import World

_BATCH = 16
_MOST_TRIES = 25

Acknowledge = Callable[[Publication], object]


class Host(Process[Packet]):
    """Does the super-peer's effects. `super_peer` is None while the host is down; the disk stays."""

    def __init__(self, world: World, host_id: str, seeds: Sequence[str] = ()) -> None:
        super().__init__(world, host_id)
        self.world = world
        self.seeds = tuple(seeds)
        self.disk = SimulatedDisk()
        self.super_peer: SuperPeer | None = None
        self.spread: list[BroadcastReceived] = []
        self.relayed: list[RelayReceived] = []
        self._announced = 0

    # Life

    def start(self, *, with_saved_members: bool = False) -> None:
        """Start with what the disk has; with `with_saved_members` without joining."""
        self.begin()
        world, disk = self.world, self.disk
        rng = Random(world.rng.getrandbits(64))
        super_peer = SuperPeer(
            self.id, self.address, world.encoding.reasoner, rng, world.timings, disk.memory, disk.head
        )
        self.super_peer, self._announced = super_peer, disk.head
        # Before anything is sent: the number of starts makes its link sessions new.
        disk.memory = super_peer.saved_state()
        self._do(
            super_peer.start_with_saved_members(self.now)
            if with_saved_members
            else super_peer.start(self.now, self.seeds)
        )
        for subscription in disk.subscriptions.values():
            self._do(super_peer.subscribe(self.now, subscription.standing_query, subscription.peer))
        for rule in disk.rules.values():
            self._subscribe_rule(rule)
        for one in disk.advertisements.values():
            self._do(super_peer.advertise(self.now, one.description, one.peer, one.lasts))
        self.later(0.0, self._run_rules)
        self.later(world.rng.random() * world.tick, self._tick)
        if world.save_every is not None:
            self.later(world.rng.random() * world.save_every, self._save)

    def crash(self) -> None:
        super().crash()
        self.super_peer = None

    def leave(self, goodbye: Callable[[], object], end: Callable[[], object]) -> None:
        """Flush, leave the network, flush again, and end."""
        self._when_flushed(_MOST_TRIES, lambda: self._leave(goodbye, end))

    # Inputs

    def handle(self, sender: str, message: Packet) -> None:
        assert self.super_peer is not None
        self._do(self.super_peer.receive(self.now, sender, message))

    def subscribe(self, subscription: StoredSubscription) -> None:
        self.disk.subscriptions[subscription.name] = subscription
        if self.super_peer is not None:
            self._do(self.super_peer.subscribe(self.now, subscription.standing_query, subscription.peer))

    def unsubscribe(self, name: str) -> None:
        gone = self.disk.subscriptions.pop(name)
        left = self.disk.subscriptions.values()
        if self.super_peer is not None and (gone.standing_query, gone.peer) not in (
            (one.standing_query, one.peer) for one in left
        ):
            self._do(self.super_peer.unsubscribe(self.now, gone.standing_query.key, gone.peer))

    def add_rule(self, rule: StoredRule) -> None:
        """Add a rule; in the network it is a subscription."""
        self.disk.rules[rule.name] = rule
        self._subscribe_rule(rule)

    def _subscribe_rule(self, rule: StoredRule) -> None:
        if self.super_peer is not None:
            self._do(self.super_peer.subscribe(self.now, rule.standing_query, rule.name))

    def remove_rule(self, name: str) -> None:
        gone = self.disk.rules.pop(name)
        if self.super_peer is not None:
            self._do(self.super_peer.unsubscribe(self.now, gone.standing_query.key, name))

    def go_offline(self, peer: str) -> None:
        """A peer is off-line: its notifications wait in an outbox."""
        for name, subscription in self.disk.subscriptions.items():
            if subscription.peer == peer:
                self.disk.outboxes.setdefault(name, Outbox(self.disk.head))

    def come_online(self, peer: str) -> None:
        """A peer is on-line: it gets its gap, then its notifications."""
        for name, subscription in self.disk.subscriptions.items():
            outbox = self.disk.outboxes.pop(name, None) if subscription.peer == peer else None
            if outbox is not None:
                self._report_gap(name, outbox)
                for _, event in outbox.waiting:
                    self.world.record(Notified(self.world.now, self.id, name, event))

    def _report_gap(self, name: str, outbox: Outbox) -> None:
        if outbox.gap:
            self.world.record(GapReported(self.world.now, self.id, name, outbox.after, outbox.gap))

    def trim(self) -> None:
        """Retention removes all notifications that wait for peers."""
        self.world.record(Trimmed(self.world.now, self.id, self.disk.head))
        for outbox in self.disk.outboxes.values():
            outbox.trim(self.disk.head)

    def advertise(self, one: StoredAdvertisement) -> None:
        self.disk.advertisements[one.name] = one
        if self.super_peer is not None:
            self._do(self.super_peer.advertise(self.now, one.description, one.peer, one.lasts))

    def withdraw(self, name: str) -> None:
        gone = self.disk.advertisements.pop(name)
        left = self.disk.advertisements.values()
        if self.super_peer is not None and (gone.description, gone.peer) not in (
            (one.description, one.peer) for one in left
        ):
            self._do(self.super_peer.withdraw(self.now, gone.description.key, gone.peer))

    def publish(self, publication: Publication, acknowledge: Acknowledge) -> None:
        """Write an event, then acknowledge, then pass it to the network: a crash may come between any two of them."""
        if self.super_peer is not None:
            self.write(lambda: self._published(publication, acknowledge))

    def broadcast(self, body: bytes) -> None:
        if self.super_peer is not None:
            self._do(self.super_peer.broadcast(self.now, body))

    def relay(self, to: str, body: bytes) -> None:
        if self.super_peer is not None:
            self._do(self.super_peer.relay(self.now, to, body))

    # Effects

    def _do(self, effects: Iterable[Effect]) -> None:
        for effect in effects:
            match effect:
                case SendPacket():
                    self.world.post(self.id, effect.to, effect.packet)
                case Accept():
                    self.write(partial(self._accept, effect.publication))
                case Replay():
                    self.later(self.disk_moment(), partial(self._replay, effect))
                case BroadcastReceived():
                    self.spread.append(effect)
                case RelayReceived():
                    self.relayed.append(effect)

    def _published(self, publication: Publication, acknowledge: Acknowledge) -> None:
        stored = msgspec.structs.replace(publication, position=self.disk.head + 1)
        self.disk.append(stored)
        self.disk.published.append(stored)
        acknowledge(stored)
        self._notify(stored)
        self.later(0.0, lambda: self._announce(stored))
        self.later(0.0, self._run_rules)

    def _announce(self, stored: Publication) -> None:
        assert self.super_peer is not None
        self._announced = stored.position
        self._do(self.super_peer.published(self.now, [stored]))

    def _accept(self, publication: Publication) -> None:
        if publication.event in self.disk.events:
            self.world.record(Repeated(self.world.now, self.id, publication.event))
            return
        position = self.disk.append(publication)
        self.world.record(Accepted(self.world.now, self.id, publication.event, position))
        self._notify(publication)
        self.later(0.0, self._run_rules)

    def _notify(self, publication: Publication) -> None:
        matches = self.world.encoding.reasoner.matches
        for subscription in self.disk.subscriptions.values():
            if not matches(subscription.standing_query, publication):
                continue
            outbox = self.disk.outboxes.get(subscription.name)
            if outbox is not None:
                outbox.waiting.append((self.disk.head, publication.event))
            else:
                self.world.record(Notified(self.world.now, self.id, subscription.name, publication.event))

    # Rules

    def _run_rules(self) -> None:
        """Run rules on the next event of the log, and so on to its end."""
        if self.disk.rules_position < self.disk.head:
            self.write(partial(self._run_rules_at, self.disk.rules_position + 1))

    def _run_rules_at(self, position: int) -> None:
        """What rules publish is written together with their position, so each event triggers them once."""
        if position != self.disk.rules_position + 1:
            return
        self.disk.rules_position = position
        publication = self.disk.log[position - 1]
        if not self._is_own_change(publication) and hops_of(publication) < MOST_HOPS:
            matches = self.world.encoding.reasoner.matches
            for rule in list(self.disk.rules.values()):
                if rule.since < position and matches(rule.standing_query, publication):
                    self._fire(rule, publication)
        self._run_rules()

    def _is_own_change(self, publication: Publication) -> bool:
        return publication.origin == self.id and hops_of(publication) > 0

    def _fire(self, rule: StoredRule, publication: Publication) -> None:
        self.world.record(Notified(self.world.now, self.id, rule.name, publication.event))
        event, acknowledge = self.world.rule_event(self.id, rule, publication)
        self._published(event, acknowledge)

    def _replay(self, wanted: Replay) -> None:
        assert self.super_peer is not None
        found = [one for one in self.disk.published_after(wanted.after) if one.position <= self._announced]
        batch = found[:_BATCH]
        upto = batch[-1].position if len(batch) < len(found) else self._announced
        self._do(self.super_peer.replayed(self.now, wanted.ticket, batch, upto))

    # Periodic work

    def _tick(self) -> None:
        assert self.super_peer is not None
        if not self.is_stalled:
            self._do(self.super_peer.tick(self.now))
        self.later(self.world.tick, self._tick)

    def _save(self) -> None:
        assert self.super_peer is not None
        assert self.world.save_every is not None
        memory = self.super_peer.saved_state()
        self.write(lambda: setattr(self.disk, "memory", memory))
        self.later(self.world.save_every, self._save)

    def _leave(self, goodbye: Callable[[], object], end: Callable[[], object]) -> None:
        assert self.super_peer is not None
        goodbye()
        self._do(self.super_peer.leave(self.now))
        self._when_flushed(_MOST_TRIES, end)

    def _when_flushed(self, tries: int, action: Callable[[], object]) -> None:
        assert self.super_peer is not None
        if self.super_peer.is_flushed or not tries:
            action()
        else:
            self.later(self.world.tick, lambda: self._when_flushed(tries - 1, action))


def hops_of(publication: Publication) -> int:
    """Through how many rules an event came, from its source, which peers cannot choose."""
    return 0 if publication.source is None else int(publication.source.removeprefix("rules:"))
