"""A space without routing: zones that tile it, and messages that are delivered in any order, some of them twice."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from types import MappingProxyType

import msgspec
from hypothesis import strategies as st
from msgspec import Struct

from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.network.can.geometry.coordinates import coordinate
from triplewire.network.can.geometry.space import SPACE, Bounds, Box, Dimension, Point, Zone
from triplewire.network.can.geometry.splits import Split
from triplewire.network.can.messages import Address
from triplewire.network.eventspace.causality import Stamp
from triplewire.network.eventspace.effects import (
    EventArrived,
    Refuse,
    SpaceEffect,
    ToNode,
    ToOwners,
    ToZones,
    Withdraw,
)
from triplewire.network.eventspace.messages import SpaceMessage
from triplewire.network.eventspace.node import SpaceNode
from triplewire.network.eventspace.strategy import PublicationStrategy
from triplewire.network.eventspace.zones.zone_holder import MOST_REWRITINGS
from triplewire.rdf.events import Event
from triplewire.testing.decider import Decider, EvaluationFailed, Notify
from triplewire.testing.memory_storage import MemoryStorage
from triplewire.testing.strategies.vocabulary import (
    BLANK_NODES,
    CANONICAL_LITERALS,
    CLASSES,
    EVENT_NAMES,
    PREDICATES,
    RESOURCES,
)

_BORDERS = [coordinate(term) for term in (*RESOURCES, *PREDICATES, *CLASSES, *EVENT_NAMES, *CANONICAL_LITERALS)]
# In front of all blank nodes, among them, and behind all of them.
_BORDERS += [b"_:", b"_:7", b"_:a", b"_;", *(coordinate(node) for node in BLANK_NODES)]

_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(SpaceMessage)

Told = SpaceEffect | Notify | EvaluationFailed

Splits = list[tuple[int, Split]]
"""Which of the zones so far is split, and where."""


ONE_SPLIT = st.builds(Split, st.sampled_from(Dimension), st.sampled_from(_BORDERS))


def splits(most: int = 7) -> st.SearchStrategy[Splits]:
    return st.lists(st.tuples(st.integers(0, most), ONE_SPLIT), max_size=most)


def tiled(cuts: Splits) -> list[Zone]:
    """The zones after some splits. A border that is not strictly inside its zone is left out."""
    zones: list[Zone] = [SPACE]
    for number, split in cuts:
        zone = zones[number % len(zones)]
        if is_inside(split, zone):
            zones.remove(zone)
            zones.extend(split.halves(zone))
    return zones


class Cast(Struct, eq=False):
    """Something that its origin is told of when all of it has arrived."""

    origin: int
    key: str
    missing: int = 0


class Parcel(Struct, frozen=True, eq=False):
    """A message on its way: to the owner of a point, to the owners of all of a box, or to a node."""

    to: Point | Bounds | str
    body: bytes
    cast: Cast | None = None


class Dispute(Struct, frozen=True):
    """A zone that two nodes believe to own. What comes for it goes to one of them."""

    zone: Zone
    loser: int
    winner: int


class TiledSpace:
    """Nodes, a zone or more each, and what is on its way between them. `told` is what the shell was told, in order.

    Every node has a storage. A step is committed before what it sends is sent; what is on its way is not lost when a
    node crashes, but for publications and subscriptions, which whoever wants them acknowledged has to repeat.
    """

    def __init__(
        self,
        zones: list[Zone],
        nodes: int,
        strategies: list[PublicationStrategy],
        rng: Random,
        taxonomy: Taxonomy | None = None,
        doubled: float = 0.2,
        most_rewritings: int = MOST_REWRITINGS,
    ) -> None:
        self.storages = [MemoryStorage() for _ in range(nodes)]
        self.deciders = [Decider(taxonomy) for _ in range(nodes)]
        self._strategies = [strategies[n % len(strategies)] for n in range(nodes)]
        self._most_rewritings = most_rewritings
        self.nodes = [self._node(n, zones[n::nodes]) for n in range(nodes)]
        self.told: list[Told] = []
        self.sent: list[SpaceMessage] = []
        self._on_its_way: list[Parcel] = []
        self.disputed: Dispute | None = None
        self._rng = rng
        self._doubled = doubled

    @property
    def busy(self) -> bool:
        return bool(self._on_its_way)

    def subscribe(
        self, node: int, subscription: Subscription, seen: Mapping[str, int] = MappingProxyType({})
    ) -> tuple[Stamp, list[SpaceEffect]]:
        self.deciders[node].add(subscription)
        return self.nodes[node].subscribe(subscription, seen)

    def publish(
        self, node: int, ticket: int, event: Event, seen: Mapping[str, int] = MappingProxyType({})
    ) -> tuple[Stamp, list[SpaceEffect]]:
        return self.nodes[node].publish(ticket, event, seen)

    def carry_out(self, node: int, effects: Sequence[SpaceEffect]) -> None:
        """Commit what a node did, and then do what it asks for."""
        self.storages[node].commit()
        for effect in effects:
            if isinstance(effect, ToOwners | ToZones | ToNode | Refuse):
                self._send(node, effect)
            elif isinstance(effect, Withdraw):
                self._drop(lambda cast, key=effect.key: cast.origin == node and cast.key == key)
            elif isinstance(effect, EventArrived):
                self.told.extend(self.deciders[node].decide(effect))
                self.nodes[node].gateway.accepted(effect.header.event)
            else:
                self.told.append(effect)

    def deliver(self, most: int | None = None) -> None:
        """Deliver messages in any order, `most` of them or until none is left; some stay, to come once more."""
        while self._on_its_way and (most is None or most > 0):
            self._deliver(self._rng.choice(self._on_its_way))
            most = None if most is None else most - 1

    def crash(self, node: int) -> None:
        """A node crashes and starts again: in the middle of a step, if something is on its way to it."""
        coming = [parcel for parcel in self._on_its_way if self.nodes[node] in self._receivers(parcel)]
        if coming:
            self.nodes[node].receive(_DECODER.decode(self._rng.choice(coming).body))
        self.storages[node].crash()
        self._drop(lambda cast: cast.origin == node)
        self.nodes[node] = self._node(node, self.nodes[node].holder.zones)
        self.carry_out(node, self.nodes[node].start())

    def dispute(self, number: int, to: int) -> None:
        """Let another node believe, too, that it owns a zone; so far it has what the owner has."""
        zones = [(n, zone) for n, node in enumerate(self.nodes) for zone in node.holder.zones]
        owner, zone = zones[number % len(zones)]
        if owner != to and self.disputed is None:
            self._take(to, zone, list(self.nodes[owner].holder.export([zone])))
            self.disputed = Dispute(zone, *self._rng.sample([owner, to], 2))

    def end_dispute(self) -> None:
        """One of them yields: it deposits what it has at the other, then discards it."""
        if self.disputed is None:
            return
        zone, loser, winner = self.disputed.zone, self.disputed.loser, self.disputed.winner
        self.disputed = None
        yielding = self.nodes[loser].holder
        yielding.zones = tuple(kept for kept in yielding.zones if kept != zone)
        for chunk in list(yielding.export([zone])):
            for _ in range(2):
                self.carry_out(winner, list(self.nodes[winner].holder.deposit(chunk)))
        yielding.discard(zone)
        self.carry_out(loser, [])

    def owner(self, point: Point) -> SpaceNode:
        return self._rng.choice([node for node in self.nodes if node.holder.owns(point)])

    def touched(self, bounds: tuple[Bounds, ...]) -> list[Zone]:
        return [zone for node in self.nodes for zone in node.holder.zones if any(zone.touches(box) for box in bounds)]

    def move(self, split: Split, to: int) -> None:
        """Give the upper half of a zone to another node, with its contents, if there is one to split."""
        if self.disputed is not None:
            return
        for number, node in enumerate(self.nodes):
            for zone in node.holder.zones:
                if number != to and is_inside(split, zone):
                    lower, upper = split.halves(zone)
                    exported = list(node.holder.export([upper]))
                    node.holder.zones = (lower, *(kept for kept in node.holder.zones if kept != zone))
                    node.holder.discard(upper)
                    self.carry_out(number, [])
                    self._take(to, upper, exported)
                    return

    # Private

    def _node(self, number: int, zones: Sequence[Zone]) -> SpaceNode:
        me, strategy = Address(f"n{number}", f"at-n{number}"), self._strategies[number]
        return SpaceNode(me, self.storages[number], zones, strategy, most_rewritings=self._most_rewritings)

    def _take(self, node: int, zone: Zone, exported: list[bytes]) -> None:
        holder = self.nodes[node].holder
        holder.zones += (zone,)
        for chunk in [*exported, *exported]:
            holder.merge(chunk)
        self.carry_out(node, list(holder.ask_again()))

    def _send(self, node: int, effect: ToOwners | ToZones | ToNode | Refuse) -> None:
        self.sent.append(effect.message)
        body = _ENCODER.encode(effect.message)
        key = effect.key if isinstance(effect, ToOwners | ToZones) else ""
        addresses = self._addresses(effect)
        cast = Cast(node, key, len(addresses)) if key else None
        self._on_its_way.extend(Parcel(to, body, cast) for to in addresses)

    def _deliver(self, parcel: Parcel) -> None:
        stays = self._rng.random() < self._doubled
        refused = False
        for node in self._receivers(parcel):
            number = self.nodes.index(node)
            effects = node.receive(_DECODER.decode(parcel.body))
            refused = refused or any(isinstance(effect, Refuse) for effect in effects)
            self.carry_out(number, effects)
        if not stays and not refused and parcel in self._on_its_way:
            self._on_its_way.remove(parcel)
            self._receipt(parcel.cast)

    def _receipt(self, cast: Cast | None) -> None:
        if cast is None:
            return
        cast.missing -= 1
        if not cast.missing:
            self.carry_out(cast.origin, self.nodes[cast.origin].completed(cast.key))

    def _drop(self, unwanted: Callable[[Cast], bool]) -> None:
        kept = [parcel for parcel in self._on_its_way if parcel.cast is None or not unwanted(parcel.cast)]
        self._on_its_way[:] = kept

    def _addresses(self, effect: ToOwners | ToZones | ToNode | Refuse) -> list[Point | Bounds | str]:
        """Zones may move while a message is on its way, so it is addressed by place, not by who is there now."""
        if isinstance(effect, ToNode | Refuse):
            return [effect.to.id]
        if isinstance(effect, ToOwners):
            return [*effect.points]
        parts = (zone.intersection(box) for zone in self.touched(effect.bounds) for box in effect.bounds)
        return [part for part in dict.fromkeys(parts) if not part.is_empty]

    def _receivers(self, parcel: Parcel) -> list[SpaceNode]:
        if isinstance(parcel.to, str):
            return [node for node in self.nodes if node.me.id == parcel.to]
        if isinstance(parcel.to, Box):
            passed_over = self._passed_over()
            return [
                node
                for number, node in enumerate(self.nodes)
                if any(zone.touches(parcel.to) for zone in node.holder.zones if (number, zone) != passed_over)
            ]
        return [self.owner(parcel.to)]

    def _passed_over(self) -> tuple[int, Zone] | None:
        """Of those who dispute a zone, the one that does not get a message for it."""
        disputed = self.disputed
        return disputed and (self._rng.choice((disputed.loser, disputed.winner)), disputed.zone)


def is_inside(split: Split, zone: Zone) -> bool:
    """Whether a split's border is strictly inside a zone."""
    side = zone[split.dimension]
    return split.border in side and split.border != side.lower
