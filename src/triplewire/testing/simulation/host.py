"""A simulated access point: a super-peer in a process, with its disk and its local peers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from random import Random
from typing import TYPE_CHECKING

import msgspec

from triplewire.network.effects import Accept, Effect, Relay, Replay, Send, Spread
from triplewire.network.messages import Publication, Wire
from triplewire.network.superpeer import SuperPeer
from triplewire.testing.simulation.disk import Advertisement, Disk, Subscription
from triplewire.testing.simulation.history import Accepted, Notified, Repeated
from triplewire.testing.simulation.process import Process

if TYPE_CHECKING:
    from triplewire.testing.simulation.world import World

_BATCH = 16
_MOST_TRIES = 25

Acknowledge = Callable[[Publication], object]


class Host(Process):
    """Does what the super-peer wants done. `up` is the super-peer, None while there is none; the disk stays."""

    def __init__(self, world: World, host_id: str, seeds: Sequence[str] = ()) -> None:
        super().__init__(world)
        self.id = host_id
        self.address = f"sim://{host_id}"
        self.seeds = tuple(seeds)
        self.disk = Disk()
        self.up: SuperPeer | None = None
        self.is_leaving = False
        self.spread: list[Spread] = []
        self.relayed: list[Relay] = []
        self._missed: list[tuple[str, Wire]] = []
        self._told = 0

    # Life

    def start(self, *, among_others: bool = False) -> None:
        """Start with what the disk has; `among_others` without asking to be let in."""
        self.begin()
        world, disk = self.world, self.disk
        rng = Random(world.rng.getrandbits(64))
        up = SuperPeer(self.id, self.address, world.dialect.reasoner, rng, world.timings, disk.memory, disk.head)
        self.up, self._told = up, disk.head
        # Before anything is said: the number of starts makes its sessions new.
        disk.memory = up.memory()
        self._do(up.assume(self.now) if among_others else up.start(self.now, self.seeds))
        for subscription in disk.subscriptions.values():
            self._do(up.subscribe(self.now, subscription.standing, subscription.peer))
        for one in disk.advertisements.values():
            self._do(up.advertise(self.now, one.description, one.peer, one.lasts))
        self.later(world.rng.random() * world.tick, self._tick)
        if world.save_every is not None:
            self.later(world.rng.random() * world.save_every, self._save)

    def crash(self) -> None:
        """Lose everything but the disk."""
        self.up = None
        self.lives += 1
        self._missed.clear()

    def wake(self) -> None:
        missed, self._missed = self._missed, []
        for sender, what in missed:
            self.receive(sender, what)

    def leave(self, goodbye: Callable[[], object], end: Callable[[], object]) -> None:
        """Wait until all is said, say goodbye, wait until that is said, and end."""
        self._when_flushed(_MOST_TRIES, lambda: self._say_goodbye(goodbye, end))

    # What comes from outside

    def receive(self, sender: str, what: Wire) -> None:
        if self.up is None:
            return
        if self.is_stalled:
            self._missed.append((sender, what))
        else:
            self._do(self.up.receive(self.now, sender, what))

    def subscribe(self, subscription: Subscription) -> None:
        self.disk.subscriptions[subscription.name] = subscription
        if self.up is not None:
            self._do(self.up.subscribe(self.now, subscription.standing, subscription.peer))

    def unsubscribe(self, name: str) -> None:
        gone = self.disk.subscriptions.pop(name)
        left = self.disk.subscriptions.values()
        if self.up is not None and (gone.standing, gone.peer) not in ((one.standing, one.peer) for one in left):
            self._do(self.up.unsubscribe(self.now, gone.standing.key, gone.peer))

    def advertise(self, one: Advertisement) -> None:
        self.disk.advertisements[one.name] = one
        if self.up is not None:
            self._do(self.up.advertise(self.now, one.description, one.peer, one.lasts))

    def withdraw(self, name: str) -> None:
        gone = self.disk.advertisements.pop(name)
        left = self.disk.advertisements.values()
        if self.up is not None and (gone.description, gone.peer) not in ((one.description, one.peer) for one in left):
            self._do(self.up.withdraw(self.now, gone.description.key, gone.peer))

    def publish(self, publication: Publication, acknowledge: Acknowledge) -> None:
        """Write it, then acknowledge, then tell the network: a crash may come between any two of them."""
        if self.up is not None:
            self.write(lambda: self._published(publication, acknowledge))

    def broadcast(self, body: bytes) -> None:
        if self.up is not None:
            self._do(self.up.broadcast(self.now, body))

    def relay(self, to: str, body: bytes) -> None:
        if self.up is not None:
            self._do(self.up.relay(self.now, to, body))

    # What the super-peer wants done

    def _do(self, effects: Iterable[Effect]) -> None:
        for effect in effects:
            match effect:
                case Send():
                    self.world.post(self.id, effect.to, effect.what)
                case Accept():
                    self.write(partial(self._accept, effect.publication))
                case Replay():
                    self.later(self.disk_moment(), partial(self._replay, effect))
                case Spread():
                    self.spread.append(effect)
                case Relay():
                    self.relayed.append(effect)

    def _published(self, publication: Publication, acknowledge: Acknowledge) -> None:
        stored = msgspec.structs.replace(publication, position=self.disk.append(publication.event))
        self.disk.published.append(stored)
        acknowledge(stored)
        self._notify(stored)
        self.later(0.0, lambda: self._tell(stored))

    def _tell(self, stored: Publication) -> None:
        assert self.up is not None
        self._told = stored.position
        self._do(self.up.published(self.now, [stored]))

    def _accept(self, publication: Publication) -> None:
        if publication.event in self.disk.events:
            self.world.record(Repeated(self.world.now, self.id, publication.event))
            return
        self.disk.append(publication.event)
        self.world.record(Accepted(self.world.now, self.id, publication.event))
        self._notify(publication)

    def _notify(self, publication: Publication) -> None:
        matches = self.world.dialect.reasoner.matches
        for subscription in self.disk.subscriptions.values():
            if matches(subscription.standing, publication):
                self.world.record(Notified(self.world.now, self.id, subscription.name, publication.event))

    def _replay(self, wanted: Replay) -> None:
        assert self.up is not None
        found = [one for one in self.disk.published_after(wanted.after) if one.position <= self._told]
        batch = found[:_BATCH]
        upto = batch[-1].position if len(batch) < len(found) else self._told
        self._do(self.up.replayed(self.now, wanted.ticket, batch, upto))

    # Its own doing

    def _tick(self) -> None:
        assert self.up is not None
        if not self.is_stalled:
            self._do(self.up.tick(self.now))
        self.later(self.world.tick, self._tick)

    def _save(self) -> None:
        assert self.up is not None
        assert self.world.save_every is not None
        memory = self.up.memory()
        self.write(lambda: setattr(self.disk, "memory", memory))
        self.later(self.world.save_every, self._save)

    def _say_goodbye(self, goodbye: Callable[[], object], end: Callable[[], object]) -> None:
        assert self.up is not None
        goodbye()
        self._do(self.up.leave(self.now))
        self._when_flushed(_MOST_TRIES, end)

    def _when_flushed(self, tries: int, action: Callable[[], object]) -> None:
        assert self.up is not None
        if self.up.is_flushed or not tries:
            action()
        else:
            self.later(self.world.tick, lambda: self._when_flushed(tries - 1, action))
