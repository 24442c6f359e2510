"""What it costs to publish events whole or as quadruples, and what chains cost that multiply.

The two limits of the event space were chosen by these figures: up to which size `auto` publishes an event whole, and
how many rewritings of one subscription in one event a node sends. Counted is the CPU time of all steps of matching,
over nodes in one process that hand each other encoded messages; transport, disk and replicas come on top, for each
message.

    python -m benchmarks.space_limits
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from random import Random
from string import ascii_lowercase

import msgspec

from triplewire.algebra.subscriptions import Subscription
from triplewire.network.can.geometry.space import SPACE, Dimension, Zone
from triplewire.network.can.geometry.splits import Split
from triplewire.network.can.messages import Address
from triplewire.network.eventspace.effects import SpaceEffect, ToNode, ToOwners, ToZones
from triplewire.network.eventspace.messages import SpaceMessage
from triplewire.network.eventspace.node import SpaceNode
from triplewire.network.eventspace.strategy import PublicationStrategy
from triplewire.network.eventspace.zones.zone_holder import MOST_REWRITINGS
from triplewire.rdf.events import Event
from triplewire.testing.memory_storage import MemoryStorage

_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(SpaceMessage)
_CHAIN = "SELECT * { " + " . ".join(f"?o{n} <urn:p{n}> ?o{n + 1}" for n in range(5)) + " }"
_PAIRS = "ASK { ?s <urn:p> ?x . ?t <urn:q> ?y . ?x <urn:r> ?y }"


class Nodes:
    """Nodes that share the space by subjects, and what their steps cost."""

    def __init__(self, count: int, strategy: PublicationStrategy, most_rewritings: int = MOST_REWRITINGS) -> None:
        self.nodes = [
            SpaceNode(Address(f"n{n}", ""), MemoryStorage(), [zone], strategy, most_rewritings=most_rewritings)
            for n, zone in enumerate(_tiles(count))
        ]
        self.reset()

    def reset(self) -> None:
        self.seconds, self.bytes, self.messages = 0.0, 0, 0

    def subscribe(self, text: str) -> None:
        self._deliver(self.nodes[0], self.nodes[0].subscribe(Subscription.parse(text, id="s"))[1])
        self.reset()

    def publish(self, ticket: int, event: Event) -> None:
        publisher = self.nodes[-1]
        begun = time.process_time()
        _, effects = publisher.publish(ticket, event)
        self.seconds += time.process_time() - begun
        self._deliver(publisher, effects)

    def _deliver(self, origin: SpaceNode, effects: Sequence[SpaceEffect]) -> None:
        waiting = deque((origin, effect) for effect in effects)
        while waiting:
            sender, effect = waiting.popleft()
            if isinstance(effect, ToOwners | ToZones | ToNode):
                waiting.extend(self._send(effect))
            if isinstance(effect, ToOwners | ToZones) and effect.key:
                waiting.extend((sender, told) for told in sender.completed(effect.key))

    def _send(self, effect: ToOwners | ToZones | ToNode) -> list[tuple[SpaceNode, SpaceEffect]]:
        body = _ENCODER.encode(effect.message)
        answers: list[tuple[SpaceNode, SpaceEffect]] = []
        for node in self._receivers(effect):
            begun = time.process_time()
            found = node.receive(_DECODER.decode(body))
            self.seconds += time.process_time() - begun
            self.bytes += len(body)
            self.messages += 1
            answers.extend((node, answer) for answer in found)
        return answers

    def _receivers(self, effect: ToOwners | ToZones | ToNode) -> list[SpaceNode]:
        if isinstance(effect, ToNode):
            return [node for node in self.nodes if node.me == effect.to]
        if isinstance(effect, ToOwners):
            return [node for node in self.nodes if any(map(node.holder.owns, effect.points))]
        return [n for n in self.nodes if any(zone.touches(box) for zone in n.holder.zones for box in effect.bounds)]


def _tiles(count: int) -> list[Zone]:
    zones = [SPACE]
    for number in range(1, count):
        first, second = divmod(26 * 26 * number // count, 26)
        border = f"<urn:s:{ascii_lowercase[first]}{ascii_lowercase[second]}".encode()
        zones.extend(Split(Dimension.SUBJECT, border).halves(zones.pop()))
    return zones


def _event(chance: Random, number: int, quads: int, literal: int) -> Event:
    """A chain of five, and as many more quadruples as there are to be."""
    names = ["urn:s:" + "".join(chance.choices(ascii_lowercase, k=22)) for _ in range(quads + 1)]
    links = [f"<{names[n]}> <urn:p{n}> <{names[n + 1]}> <urn:g:{number}> ." for n in range(min(5, quads))]
    more = [f'<{names[n]}> <urn:x{n}> "{"v" * literal}" <urn:g:{number}> .' for n in range(5, quads)]
    return Event.parse("\n".join([*links, *more]))[0]


def _strategies() -> None:
    print("nodes  quads  size x quads  wanted |  CSMA: ms     KiB  messages |  OSMA: ms     KiB  messages")
    for nodes in (8, 25):
        for quads, literal in ((5, 60), (10, 60), (20, 60), (40, 60), (80, 60), (160, 60), (20, 1_000), (40, 4_000)):
            for wanted in (False, True):
                rows = [_published(nodes, s, quads, literal, wanted) for s in ("csma", "osma")]
                columns = " | ".join(f"{ms:9.2f} {kib:7.0f} {messages:9.0f}" for _, ms, kib, messages in rows)
                print(f"{nodes:5}  {quads:5}  {rows[0][0]:8.0f} KiB  {'yes' if wanted else 'no':>6} | {columns}")


def _published(nodes: int, strategy: str, quads: int, literal: int, wanted: bool) -> tuple[float, float, float, float]:
    space, chance, events = Nodes(nodes, PublicationStrategy(strategy)), Random(1), max(4, 400 // quads)
    if wanted:
        space.subscribe(_CHAIN)
    size = 0
    for number in range(events):
        event = _event(chance, number, quads, literal)
        size = len(event.nquads)
        space.publish(number, event)
    return quads * size / 1024, space.seconds / events * 1e3, space.bytes / events / 1024, space.messages / events


def _rewritings() -> None:
    print("\nrewritings at most  ms  KiB  messages, until one event of 120 quadruples is collected")
    lines = [f"<urn:s> <urn:{p}> <urn:{n}> <urn:e> ." for n in range(60) for p in "pq"]
    for most in (10, 100, 1_000, 10_000):
        space = Nodes(1, PublicationStrategy.CSMA, most)
        space.subscribe(_PAIRS)
        space.publish(1, Event.parse("\n".join(lines))[0])
        print(f"{most:18,}  {space.seconds * 1e3:.0f}  {space.bytes / 1024:.0f}  {space.messages}")


if __name__ == "__main__":
    _strategies()
    _rewritings()
