"""The event space over the real overlay: messages are lost, doubled and reordered, and nodes join while events come."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import msgspec
import pytest
from tests.network.can.simulation import TICK, World
from tests.network.eventspace.test_matching import Run, check, renamed

from triplewire.algebra.subscriptions import Subscription
from triplewire.network.can.effects import Effect, MulticastReceived
from triplewire.network.can.node import CanNode
from triplewire.network.can.space import Point, Zone, bounds_of_point
from triplewire.network.eventspace.effects import SpaceEffect, ToNode, ToOwners, ToZones
from triplewire.network.eventspace.messages import SpaceMessage
from triplewire.network.eventspace.node import SpaceNode
from triplewire.network.eventspace.strategy import PublicationStrategy
from triplewire.network.eventspace.zone_holder import ZoneHolder
from triplewire.rdf.events import Event

_DECODER = msgspec.msgpack.Decoder(SpaceMessage)
_QUERIES = (
    "SELECT ?x ?z { ?x <http://example.org/p> ?y . ?y <http://example.org/q> ?z }",
    "ASK { ?x <http://example.org/q> ?y FILTER(?y = <http://example.org/b>) }",
    "SELECT * { ?x ?p ?y . ?y ?q ?z . ?z <http://example.org/r> ?w }",
    "ASK { GRAPH ?g { ?x <http://example.org/r> ?y } FILTER NOT EXISTS { ?x <http://example.org/p> ?y } }",
)


class SpaceContents:
    """A holder as the overlay sees it, its zones always those of the overlay."""

    def __init__(self, holder: ZoneHolder) -> None:
        self._holder = holder
        self.can: CanNode | None = None

    def holder(self) -> ZoneHolder:
        self._holder.zones = self.can.zones if self.can else ()
        return self._holder

    def load(self, zone: Zone) -> int:
        return self.holder().load(zone)

    def points(self, zone: Zone) -> Sequence[Point]:
        return self.holder().points(zone)

    def export(self, zones: Sequence[Zone]) -> bytes:
        return self.holder().export(zones)

    def merge(self, exported: bytes) -> None:
        self.holder().merge(exported)

    def discard(self, zone: Zone) -> None:
        self.holder().discard(zone)


class EventWorld(World):
    """Each node of the overlay with a node of the event space on it. Messages to a node by name all arrive."""

    def __init__(self, seed: int, strategies: Sequence[PublicationStrategy]) -> None:
        super().__init__(seed, loss=0.1, doubling=0.2, delay=0.6)
        self._strategies = strategies
        self._by_name: dict[str, SpaceNode] = {}
        self._letters: list[tuple[str, bytes]] = []
        self.told: list[SpaceEffect] = []

    @property
    def spaces(self) -> list[SpaceNode]:
        return list(self._by_name.values())

    def add(self, node_id: str, incarnation: int = 1, contents: object = None) -> CanNode:
        space = SpaceNode(node_id, strategy=self.rng.choice(self._strategies))
        self._by_name[node_id] = space
        wrapped = SpaceContents(space.holder)
        wrapped.can = self.nodes[node_id] = CanNode(
            node_id, node_id, wrapped, Random(self.rng.random()), self.timings, incarnation
        )
        return wrapped.can

    def do(self, node_id: str, effects: Sequence[Effect]) -> None:
        super().do(node_id, effects)
        for effect in effects:
            if isinstance(effect, MulticastReceived):
                self.hand(node_id, effect.body)

    def hand(self, node_id: str, body: bytes) -> None:
        node = self._by_name[node_id]
        node.holder.zones = self.nodes[node_id].zones
        self.carry_out(node_id, node.receive(_DECODER.decode(body)))

    def carry_out(self, node_id: str, effects: Sequence[SpaceEffect]) -> None:
        for effect in effects:
            if not isinstance(effect, ToOwners | ToZones | ToNode):
                self.told.append(effect)
                continue
            body = msgspec.msgpack.encode(effect.message)
            if isinstance(effect, ToNode):
                self._letters.append((effect.to, body))
            else:
                boxes = effect.bounds if isinstance(effect, ToZones) else [bounds_of_point(p) for p in effect.points]
                for box in boxes:
                    self.multicast(box, body, node_id)

    def run(self, seconds: float) -> None:
        end = self.now + seconds
        while self.now < end:
            super().run(TICK)
            self.rng.shuffle(self._letters)
            for _ in range(len(self._letters) // 2 + 1 if self._letters else 0):
                self.hand(*self._letters.pop())

    def run_until_quiet(self) -> None:
        """Until nothing is on its way, and nobody waits for an answer that went to the former owner of a zone."""
        for _ in range(2):
            self.run_until_settled()
            while self._letters:
                self.run(1)
                self.run_until_settled()
            for node_id, node in self._by_name.items():
                self.carry_out(node_id, list(node.holder.ask_again()))

    def _storage_problems(self) -> list[str]:
        return []


class NodeView:
    """What a `Run` needs of a space, here of the overlay's."""

    def __init__(self, world: EventWorld) -> None:
        self.nodes = world.spaces
        self.told = world.told
        self._world = world

    def carry_out(self, effects: list[SpaceEffect]) -> None:
        self._world.carry_out(self.acting, effects)

    acting = "n0"


def drawn_event(rng: Random, number: int) -> Event:
    def name(letters: str) -> str:
        return f"<http://example.org/{rng.choice(letters)}>"

    lines = {f"{name('abcd')} {name('pqr')} {name('abcd')} <urn:e> ." for _ in range(6)}
    return renamed(Event.parse("\n".join(lines))[0], number)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("strategy", [PublicationStrategy.CSMA, PublicationStrategy.OSMA])
def test_matches_over_the_overlay_are_those_of_the_oracle(strategy: PublicationStrategy, seed: int) -> None:
    world = EventWorld(seed, [strategy])
    world.found()
    for number in range(1, 4):
        world.join(f"n{number}")
        world.run(6)
    world.run_until_quiet()
    view = NodeView(world)
    run = Run(view, clients=2)  # type: ignore[arg-type]
    for number, text in enumerate(_QUERIES):
        act = world.rng.randrange(4)
        view.acting = f"n{act}"
        run.subscribe(act, number % 2, Subscription.parse(text, id=f"s{number}"))
        for turn in range(2):
            act = world.rng.randrange(4)
            view.acting = f"n{act}"
            run.publish(act, (number + turn) % 2, drawn_event(world.rng, 2 * number + turn + 1))
            world.run(world.rng.choice([0, 0.5, 5]))
        world.join(f"m{number}")
        world.run(world.rng.choice([0, 3]))
    world.run_until_quiet()
    assert check(run) > 0
    assert not any(space.holder.waiting for space in world.spaces)
