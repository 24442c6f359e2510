"""A space without routing: zones that tile it, and messages that are delivered in any order, some of them twice."""

from __future__ import annotations

from random import Random

import msgspec
from hypothesis import strategies as st
from msgspec import Struct

from triplewire.algebra.taxonomy import Taxonomy
from triplewire.network.can.coordinates import coordinate
from triplewire.network.can.space import SPACE, Bounds, Box, Dimension, Point, Zone
from triplewire.network.can.splits import Split
from triplewire.network.eventspace.effects import SpaceEffect, ToNode, ToOwners, ToZones
from triplewire.network.eventspace.messages import SpaceMessage
from triplewire.network.eventspace.node import SpaceNode
from triplewire.network.eventspace.strategy import PublicationStrategy
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


class Parcel(Struct, frozen=True):
    """A message on its way: to the owner of a point, to the owners of all of a box, or to a node."""

    to: Point | Bounds | str
    body: bytes


class TiledSpace:
    """Nodes, a zone or more each, and what is on its way between them. `told` is what the shell was told, in order."""

    def __init__(
        self,
        zones: list[Zone],
        nodes: int,
        strategies: list[PublicationStrategy],
        rng: Random,
        taxonomy: Taxonomy | None = None,
        doubled: float = 0.2,
    ) -> None:
        self.nodes = [
            SpaceNode(f"n{n}", zones[n::nodes], strategies[n % len(strategies)], taxonomy) for n in range(nodes)
        ]
        self.told: list[SpaceEffect] = []
        self.sent: list[SpaceMessage] = []
        self._on_its_way: list[Parcel] = []
        self._rng = rng
        self._doubled = doubled

    @property
    def busy(self) -> bool:
        return bool(self._on_its_way)

    def carry_out(self, effects: list[SpaceEffect]) -> None:
        for effect in effects:
            if isinstance(effect, ToOwners | ToZones | ToNode):
                self.sent.append(effect.message)
                body = _ENCODER.encode(effect.message)
                self._on_its_way.extend(Parcel(to, body) for to in self._addresses(effect))
            else:
                self.told.append(effect)

    def deliver(self, most: int | None = None) -> None:
        """Deliver messages in any order, `most` of them or until none is left; some stay, to come once more."""
        while self._on_its_way and (most is None or most > 0):
            at = self._rng.randrange(len(self._on_its_way))
            parcel = self._on_its_way[at]
            if self._rng.random() >= self._doubled:
                self._on_its_way[at] = self._on_its_way[-1]
                self._on_its_way.pop()
            for node in self._receivers(parcel):
                self.carry_out(node.receive(_DECODER.decode(parcel.body)))
            most = None if most is None else most - 1

    def owner(self, point: Point) -> SpaceNode:
        (found,) = (node for node in self.nodes if node.holder.owns(point))
        return found

    def touched(self, bounds: tuple[Bounds, ...]) -> list[Zone]:
        return [zone for node in self.nodes for zone in node.holder.zones if any(zone.touches(box) for box in bounds)]

    def move(self, split: Split, to: int) -> None:
        """Give the upper half of a zone to another node, with its contents, if there is one to split."""
        for node in self.nodes:
            for zone in node.holder.zones:
                if node is not self.nodes[to] and is_inside(split, zone):
                    lower, upper = split.halves(zone)
                    exported = node.holder.export([upper])
                    node.holder.zones = (lower, *(kept for kept in node.holder.zones if kept != zone))
                    node.holder.discard(upper)
                    self.nodes[to].holder.zones += (upper,)
                    self.nodes[to].holder.merge(exported)
                    self.nodes[to].holder.merge(exported)
                    self.carry_out(list(self.nodes[to].holder.ask_again()))
                    return

    def _addresses(self, effect: ToOwners | ToZones | ToNode) -> list[Point | Bounds | str]:
        """Zones may move while a message is on its way, so it is addressed by place, not by who is there now."""
        if isinstance(effect, ToNode):
            return [effect.to]
        if isinstance(effect, ToOwners):
            return [*effect.points]
        return [zone.intersection(box) for zone in self.touched(effect.bounds) for box in effect.bounds]

    def _receivers(self, parcel: Parcel) -> list[SpaceNode]:
        if isinstance(parcel.to, str):
            return [node for node in self.nodes if node.name == parcel.to]
        if isinstance(parcel.to, Box):
            return [node for node in self.nodes if any(zone.touches(parcel.to) for zone in node.holder.zones)]
        return [self.owner(parcel.to)]


def is_inside(split: Split, zone: Zone) -> bool:
    """Whether a split's border is strictly inside a zone."""
    side = zone[split.dimension]
    return split.border in side and split.border != side.lower
