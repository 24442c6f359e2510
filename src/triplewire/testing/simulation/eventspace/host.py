"""A simulated node of the event space: a member in a process, with its disk and the broker's part of the work.

It commits first and sends then: steps change the storage at once, a moment later the storage is committed, and only
then the effects of those steps are carried out. A crash in between takes back all of it. While its disk is full the
process waits for it, and does nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from random import Random
from typing import TYPE_CHECKING

from msgspec.structs import replace

from triplewire.algebra.subscriptions import Subscription
from triplewire.errors import DiskFull
from triplewire.network.can.effects import Refused, Send, TakenOver
from triplewire.network.can.geometry.space import Bounds, Point
from triplewire.network.can.messages import Address, Message
from triplewire.network.eventspace.effects import Established, EventArrived, Published, PublishRefused
from triplewire.network.eventspace.fetches import Fetched
from triplewire.network.eventspace.member import Left, MemberEffect, SpaceMember
from triplewire.network.eventspace.strategy import PublicationStrategy
from triplewire.rdf.events import Event
from triplewire.testing.decider import Decider, Notify
from triplewire.testing.simulation.eventspace import history
from triplewire.testing.simulation.eventspace.answers import answer_rows
from triplewire.testing.simulation.eventspace.disk import Publication, SpaceDisk
from triplewire.testing.simulation.process import Process

if TYPE_CHECKING:
    from triplewire.testing.simulation.eventspace.world import SpaceWorld


class SpaceHost(Process[Message]):
    """Does the member's effects. `member` is None while the host is down; the disk stays."""

    def __init__(
        self, world: SpaceWorld, host_id: str, seeds: Sequence[str] = (), strategy: PublicationStrategy | None = None
    ) -> None:
        super().__init__(world, host_id)
        self.world = world
        self.seeds = tuple(seeds)
        self.strategy = strategy or PublicationStrategy.AUTO
        self.disk = SpaceDisk()
        self.member: SpaceMember | None = None
        self._decider = Decider()
        self.refused: list[Refused] = []
        self.taken_over: list[TakenOver] = []
        self._effects: list[MemberEffect] = []
        self._is_committing = False
        self._waits_for_disk = False
        self._fetched: dict[int, list[Point]] = {}

    # Life

    def start(self) -> None:
        self.begin()
        world, disk = self.world, self.disk
        me, rng = Address(self.id, self.address), Random(world.rng.getrandbits(64))
        self.member = SpaceMember(me, disk.storage, rng, world.timings, self.strategy)
        self._step(self.member.start(self.now, self.seeds))
        self._decider = Decider()
        for subscription_id in disk.subscriptions:
            self._issue(subscription_id)
        for ticket, publication in disk.log.items():
            if not publication.is_acknowledged:
                self._step(self.member.publish(self.now, ticket, publication.event))
        self.later(world.rng.random() * world.tick, self._tick)

    def crash(self) -> None:
        super().crash()
        self.member = None
        self.disk.storage.crash()
        self._effects.clear()
        self._fetched.clear()
        self._is_committing = self._waits_for_disk = False

    @property
    def is_stalled(self) -> bool:
        return self._waits_for_disk or super().is_stalled

    @property
    def is_available(self) -> bool:
        """Whether clients can work with this node."""
        is_full = self.disk.storage.fail_with is not None
        return self.is_up and not self.is_stalled and not self.is_leaving and not is_full

    @property
    def has_unacknowledged(self) -> bool:
        """Whether a client waits for the acknowledgement of what it published."""
        return not all(publication.is_acknowledged for publication in self.disk.log.values())

    @property
    def is_busy(self) -> bool:
        """Whether it is down, or waits for something."""
        return self.member is None or self.is_stalled or self.is_leaving or self.has_unacknowledged

    # Clients

    def subscribe(self, subscription_id: str, text: str) -> None:
        """Write a subscription to the disk, then hand it to the member: a crash may come between."""
        self.write(partial(self._subscribed, subscription_id, text))

    def unsubscribe(self, subscription_id: str) -> None:
        if subscription_id in self.disk.subscriptions:
            del self.disk.subscriptions[subscription_id]
            self._decider.remove(subscription_id)
            self.world.record(history.Unsubscribed(self.world.now, self.id, subscription_id))
            self._step(self._running.unsubscribe(self.now, subscription_id))

    def publish(self, ticket: int, event: Event) -> None:
        """Write an event to the disk, then hand it to the member: a crash may come between."""
        self.write(partial(self._published, ticket, event))

    def ask(self, ticket: int, box: Bounds) -> None:
        """Ask for all quadruples in a box."""
        self._fetched[ticket] = []
        self._step(self._running.fetch(self.now, ticket, (box,)))

    def leave(self) -> None:
        """Hand everything over, once all that clients published here is acknowledged."""
        if self.has_unacknowledged or self.is_stalled:
            self.later(self.world.tick, self.leave)
        else:
            self._step(self._running.leave(self.now))

    # Inputs

    def handle(self, sender: str, message: Message) -> None:
        self._step(self._running.receive(self.now, sender, message))

    def _tick(self) -> None:
        if not self.is_stalled:
            self._step(self._running.tick(self.now))
        self.later(self.world.tick, self._tick)

    def _subscribed(self, subscription_id: str, text: str) -> None:
        if self.disk.storage.fail_with is None:
            self.disk.subscriptions[subscription_id] = text
            self.world.record(history.Subscribed(self.world.now, self.id, subscription_id, text))
            self._issue(subscription_id)

    def _issue(self, subscription_id: str) -> None:
        subscription = Subscription.parse(self.disk.subscriptions[subscription_id], id=subscription_id)
        self._decider.add(subscription)
        self._step(self._running.subscribe(self.now, subscription))

    def _published(self, ticket: int, event: Event) -> None:
        if self.disk.storage.fail_with is None:
            self.disk.log[ticket] = Publication(event)
            self.world.record(history.Sent(self.world.now, self.id, event.graph.value, event.nquads))
            self._step(self._running.publish(self.now, ticket, event))

    @property
    def _running(self) -> SpaceMember:
        assert self.member is not None
        return self.member

    # Commit, then send

    def _step(self, effects: Iterable[MemberEffect]) -> None:
        """What a step returned, to be done once its changes are committed, with those of the steps around it."""
        self._effects.extend(effects)
        if not self._is_committing:
            self._is_committing = True
            self.later(self.disk_moment(), self._commit)

    def _commit(self) -> None:
        if super().is_stalled:
            self.later(self.world.tick, self._commit)
            return
        if not self._waits_for_disk:
            self._effects.extend(self._running.flush(self.now))
        try:
            self.disk.storage.commit()
        except DiskFull:
            self._waits_for_disk = True
            self.later(self.world.tick, self._commit)
            return
        waited, self._waits_for_disk, self._is_committing = self._waits_for_disk, False, False
        effects, self._effects = self._effects, []
        for effect in effects:
            self._do(effect)
        if waited:
            self._wake()

    def _do(self, effect: MemberEffect) -> None:
        record, now = self.world.record, self.world.now
        match effect:
            case Send():
                self.world.post(self.id, effect.to, effect.message)
            case Published():
                self._acknowledge(effect.ticket, history.Published)
            case PublishRefused():
                self._acknowledge(effect.ticket, history.Refused)
            case Established():
                record(history.Established(now, self.id, effect.subscription_id))
            case EventArrived():
                record(history.Arrived(now, self.id, effect.header.event, effect.subscription_ids))
                self.write(partial(self._accept, effect))
            case Fetched():
                self._collect(effect)
            case Refused():
                self.refused.append(effect)
            case TakenOver():
                self.taken_over.append(effect)
            case Left():
                self.world.end(self)

    # The broker

    def _acknowledge(self, ticket: int, kind: type[history.Published] | type[history.Refused]) -> None:
        """Tell the client; that it was told is on the disk a moment later, so it may be told again."""
        publication = self.disk.log[ticket]
        self.world.record(kind(self.world.now, self.id, publication.event.graph.value))
        self.write(lambda: setattr(publication, "is_acknowledged", True))

    def _accept(self, arrived: EventArrived) -> None:
        """Keep an event that arrived, notify its subscribers, and say so. What is known is dropped."""
        if self.disk.storage.fail_with is not None:
            self.later(self.world.tick, partial(self._accept, arrived))
            return
        name = arrived.header.event
        if not self._knows(name):
            self.disk.arrived.add(name)
            for told in self._decide(arrived):
                rows = answer_rows(told.answer.solutions)
                self.world.record(history.Notified(self.world.now, self.id, told.subscription_id, name, rows))
        self._step(self._running.accepted(self.now, name))

    def _knows(self, event: str) -> bool:
        return event in self.disk.arrived

    def _decide(self, arrived: EventArrived) -> list[Notify]:
        """As a broker does: for all subscriptions here, not only those for which the space has brought the event."""
        told = self._decider.decide(replace(arrived, subscription_ids=tuple(self.disk.subscriptions)))
        return [one for one in told if isinstance(one, Notify)]

    def _collect(self, fetched: Fetched) -> None:
        found = self._fetched.get(fetched.ticket)
        if found is None:
            return
        found.extend(fetched.quads)
        if fetched.is_last:
            quads = tuple(self._fetched.pop(fetched.ticket))
            self.world.record(history.Answered(self.world.now, self.id, fetched.ticket, quads))
