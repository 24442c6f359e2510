"""Members in memory: a storage each, a virtual clock, and a network that loses, doubles and reorders by seed.

The world is the shell of each of them: it commits before it does what they ask for, and repeats publications and
subscriptions after a crash until they are acknowledged. For a `Run` it is a space whose nodes are numbered.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from itertools import count
from random import Random
from types import MappingProxyType

import msgspec
from msgspec import Struct, field

from triplewire.algebra.subscriptions import Subscription
from triplewire.network.can.effects import Send
from triplewire.network.can.messages import Address, Message
from triplewire.network.can.ownership.ownership import Stage
from triplewire.network.can.timings import Timings
from triplewire.network.eventspace.causality import Stamp, stamp
from triplewire.network.eventspace.effects import Established, EventArrived, Published
from triplewire.network.eventspace.fetches import Fetched
from triplewire.network.eventspace.member import Left, MemberEffect, SpaceMember
from triplewire.network.eventspace.strategy import PublicationStrategy
from triplewire.rdf.events import Event
from triplewire.testing.decider import Decider, EvaluationFailed, Notify
from triplewire.testing.memory_storage import MemoryStorage

TICK = 0.25
_MESSAGES = msgspec.msgpack.Decoder(Message)
_ENCODER = msgspec.msgpack.Encoder()


class Host(Struct):
    """The machine of a member: what survives a crash, and what its clients wait for."""

    name: str
    strategy: PublicationStrategy
    decider: Decider
    member: SpaceMember
    storage: MemoryStorage = field(default_factory=MemoryStorage)
    is_running: bool = True
    publishing: dict[int, tuple[Event, dict[str, int]]] = field(default_factory=dict)
    subscribed: dict[str, tuple[Subscription, dict[str, int]]] = field(default_factory=dict)


class MemberWorld:
    """All members. `loss` and `doubling` are probabilities, a message takes up to `delay` seconds."""

    def __init__(
        self,
        seed: int,
        strategies: Sequence[PublicationStrategy] = (PublicationStrategy.AUTO,),
        loss: float = 0.0,
        doubling: float = 0.0,
        delay: float = 0.05,
        timings: Timings | None = None,
    ) -> None:
        self.rng = Random(seed)
        self.timings = timings or Timings()
        self.loss, self.doubling, self.delay = loss, doubling, delay
        self.now = 0.0
        self.hosts: dict[str, Host] = {}
        self.told: list[MemberEffect | Notify | EvaluationFailed] = []
        self._strategies = strategies
        self._queue: list[tuple[float, int, str, str, bytes]] = []
        self._numbers = count()

    # Members

    def add(self, name: str, *seeds: str) -> SpaceMember:
        """A new member, which founds the space or joins it."""
        storage, strategy = MemoryStorage(), self.rng.choice(self._strategies)
        member = self._member(name, storage, strategy)
        self.hosts[name] = Host(name, strategy, Decider(), member, storage)
        self.do(name, member.start(self.now, seeds))
        return member

    def grow(self, size: int, seconds: float = 6.0) -> None:
        """Found a space and let members join, one after the other."""
        self.add("n0")
        for number in range(1, size):
            self.add(f"n{number}", "n0")
            self.run(seconds)

    def kill(self, name: str, during: bytes | None = None) -> None:
        """Kill a member, in the middle of a step with a message if there is one: what was not committed is gone."""
        host = self.hosts[name]
        if during is not None:
            host.member.receive(self.now, "n0", _MESSAGES.decode(during))
        host.is_running = False
        host.storage.crash()

    def restart(self, name: str) -> None:
        """Start a killed member again. Its shell repeats what is not acknowledged."""
        host = self.hosts[name]
        host.is_running = True
        host.member = self._member(name, host.storage, host.strategy)
        effects = host.member.start(self.now, [other for other in self.members if other != name])
        for subscription, seen in host.subscribed.values():
            effects += host.member.subscribe(self.now, subscription, seen)
        for ticket, (event, seen) in host.publishing.items():
            effects += host.member.publish(self.now, ticket, event, seen)
        self.do(name, effects)

    def leave(self, name: str) -> None:
        self.do(name, self.hosts[name].member.leave(self.now))

    @property
    def running(self) -> dict[str, SpaceMember]:
        return {name: host.member for name, host in self.hosts.items() if host.is_running}

    @property
    def members(self) -> dict[str, SpaceMember]:
        return {name: member for name, member in self.running.items() if member.stage is Stage.IN}

    # What a `Run` needs

    def subscribe(
        self, node: int, subscription: Subscription, seen: Mapping[str, int] = MappingProxyType({})
    ) -> tuple[Stamp, list[MemberEffect]]:
        host = self.hosts[f"n{node}"]
        host.decider.add(subscription)
        host.subscribed[subscription.id] = subscription, dict(seen)
        effects = host.member.subscribe(self.now, subscription, seen)
        return stamp(host.name, host.member.position, seen), effects

    def publish(
        self, node: int, ticket: int, event: Event, seen: Mapping[str, int] = MappingProxyType({})
    ) -> tuple[Stamp, list[MemberEffect]]:
        host = self.hosts[f"n{node}"]
        host.publishing[ticket] = event, dict(seen)
        effects = host.member.publish(self.now, ticket, event, seen)
        return stamp(host.name, host.member.position, seen), effects

    def carry_out(self, node: int, effects: list[MemberEffect]) -> None:
        self.do(f"n{node}", effects)

    # Messages and time

    def do(self, name: str, effects: Sequence[MemberEffect]) -> None:
        """End a batch: commit it, and then do what it asks for."""
        host = self.hosts[name]
        effects = [*effects, *host.member.flush(self.now)]
        host.member.storage.commit()
        for effect in effects:
            match effect:
                case Send(to, message):
                    self._send(name, to, message)
                case EventArrived(header):
                    self.told += host.decider.decide(effect)
                    self.do(name, host.member.accepted(self.now, header.event))
                case Published(ticket):
                    host.publishing.pop(ticket, None)
                    self.told.append(effect)
                case Left():
                    host.is_running = False
                case _:
                    self.told.append(effect)

    def run(self, seconds: float) -> None:
        """Let time pass."""
        end = self.now + seconds
        while self.now < end:
            upto = min(self.now + TICK, end)
            while self._queue and self._queue[0][0] <= upto:
                self._deliver(*heapq.heappop(self._queue))
            self.now = upto
            for name, member in self.running.items():
                self.do(name, member.tick(self.now))

    def run_until_quiet(self, most: float = 300.0) -> None:
        """Until nobody has anything to do but heartbeats."""
        end = self.now + most
        self.run(2)
        while self.now < end and not self.is_quiet:
            self.run(1)
        assert self.is_quiet, {name: member.stage for name, member in self.running.items() if not member.is_idle}

    @property
    def is_quiet(self) -> bool:
        return all(member.is_idle and member.stage is Stage.IN for member in self.running.values()) and not any(
            host.publishing for host in self.hosts.values() if host.is_running
        )

    def fetched(self, ticket: int) -> list[Fetched]:
        return [effect for effect in self.told if isinstance(effect, Fetched) and effect.ticket == ticket]

    def established(self) -> set[str]:
        return {effect.subscription_id for effect in self.told if isinstance(effect, Established)}

    # Private

    def _member(self, name: str, storage: MemoryStorage, strategy: PublicationStrategy) -> SpaceMember:
        return SpaceMember(Address(name, name), storage, Random(self.rng.random()), self.timings, strategy)

    def _send(self, sender: str, to: str, message: Message) -> None:
        for _ in range(2 if self.rng.random() < self.doubling else 1):
            if self.rng.random() >= self.loss:
                due = self.now + self.rng.uniform(0.001, self.delay)
                heapq.heappush(self._queue, (due, next(self._numbers), sender, to, _ENCODER.encode(message)))

    def _deliver(self, due: float, _: int, sender: str, to: str, data: bytes) -> None:
        self.now = due
        if to in self.running and self.hosts[sender].is_running:
            self.do(to, self.hosts[to].member.receive(self.now, sender, _MESSAGES.decode(data)))
