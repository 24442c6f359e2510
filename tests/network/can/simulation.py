"""A small space in memory: nodes, a virtual clock, and a network that loses, doubles and reorders by seed."""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations, count
from random import Random

import msgspec

from triplewire.network.can.claims import minus
from triplewire.network.can.effects import (
    Effect,
    MulticastCompleted,
    MulticastReceived,
    Orphaned,
    Refused,
    Replicated,
    Send,
    TakenOver,
)
from triplewire.network.can.messages import Claim, Message, Record
from triplewire.network.can.node import CanNode
from triplewire.network.can.ownership import Stage
from triplewire.network.can.space import SPACE, Bounds, Box, Point, Zone, bounds_of_point
from triplewire.network.can.timings import Timings

TICK = 0.25
_ITEMS = msgspec.msgpack.Decoder(list[tuple[Point, bytes]])
_MESSAGES = msgspec.msgpack.Decoder(Message)


class MemoryContents:
    """Items at points."""

    def __init__(self) -> None:
        self.items: dict[Point, bytes] = {}
        self._loads: dict[Zone, int] = {}

    def add(self, point: Point, body: bytes) -> None:
        self.items[point] = body
        self._loads.clear()

    def load(self, zone: Zone) -> int:
        if zone not in self._loads:
            self._loads[zone] = len(self.points(zone))
        return self._loads[zone]

    def points(self, zone: Zone) -> Sequence[Point]:
        return [point for point in self.items if point in zone]

    def export(self, zones: Sequence[Zone]) -> bytes:
        return exported((point, body) for point, body in self.items.items() if any(point in zone for zone in zones))

    def merge(self, exported: bytes) -> None:
        for point, body in _ITEMS.decode(exported):
            self.add(point, body)

    def discard(self, zone: Zone) -> None:
        self.items = {point: body for point, body in self.items.items() if point not in zone}
        self._loads.clear()


def exported(items: Iterable[tuple[Point, bytes]]) -> bytes:
    return msgspec.msgpack.encode(list(items))


class World:
    """All nodes. `loss` and `doubling` are probabilities, a message takes up to `delay` seconds."""

    def __init__(
        self, seed: int, loss: float = 0.0, doubling: float = 0.0, delay: float = 0.05, timings: Timings | None = None
    ) -> None:
        self.rng = Random(seed)
        self.timings = timings or Timings()
        self.loss, self.doubling, self.delay = loss, doubling, delay
        self.now = 0.0
        self.nodes: dict[str, CanNode] = {}
        self.contents: dict[str, MemoryContents] = {}
        self.stopped: set[str] = set()
        self.cut: set[frozenset[str]] = set()
        self.stored: dict[Point, bytes] = {}
        self.received: dict[str, list[tuple[str, Box]]] = defaultdict(list)
        self.completed: set[str] = set()
        self.taken: list[TakenOver] = []
        self.refused: list[Refused] = []
        self.sent: Counter[str] = Counter()
        self.longest_route = 0
        self._replicating: dict[tuple[str, int], Point] = {}
        self._queue: list[tuple[float, int, str, str, bytes]] = []
        self._numbers = count()

    # Nodes

    def add(self, node_id: str, incarnation: int = 1, contents: MemoryContents | None = None) -> CanNode:
        self.contents[node_id] = contents or MemoryContents()
        rng = Random(self.rng.random())
        self.nodes[node_id] = CanNode(node_id, node_id, self.contents[node_id], rng, self.timings, incarnation)
        self.stopped.discard(node_id)
        return self.nodes[node_id]

    def found(self, node_id: str = "n0") -> None:
        self.do(node_id, self.add(node_id).found(self.now))

    def join(self, node_id: str, *seeds: str, point: Point | None = None) -> None:
        self.do(node_id, self.add(node_id).join(self.now, seeds or [self.anybody()], point))

    def leave(self, node_id: str) -> None:
        self.do(node_id, self.nodes[node_id].leave(self.now))

    def stop(self, node_id: str) -> None:
        """Stop a node without a word. Its state stays, for `proceed`."""
        self.stopped.add(node_id)

    def proceed(self, node_id: str) -> None:
        """A stopped node goes on as if nothing had happened."""
        self.stopped.discard(node_id)

    def restart(self, node_id: str, claims: Sequence[Claim], neighbours: Sequence[Record], incarnation: int) -> None:
        node = self.add(node_id, incarnation, self.contents[node_id])
        self.do(node_id, node.resume(self.now, claims, neighbours))

    def grow(self, size: int, seconds: float = 3.0) -> None:
        """Found a space and let nodes join, one after the other."""
        self.found()
        for number in range(1, size):
            self.join(f"n{number}")
            self.run(seconds)

    @property
    def running(self) -> dict[str, CanNode]:
        return {
            node_id: node
            for node_id, node in self.nodes.items()
            if node_id not in self.stopped and node.stage is not Stage.LEFT
        }

    @property
    def members(self) -> dict[str, CanNode]:
        return {node_id: node for node_id, node in self.running.items() if node.stage is Stage.IN}

    def anybody(self) -> str:
        return self.rng.choice(sorted(self.members))

    # Messages

    def put(self, point: Point, body: bytes = b"", at: str | None = None) -> str:
        """Store something at a point."""
        return self.multicast(bounds_of_point(point), b"put " + body, at)

    def multicast(self, bounds: Bounds, body: bytes, at: str | None = None) -> str:
        at = at or self.anybody()
        multicast_id = f"{at}:{next(self._numbers)}"
        self.do(at, self.nodes[at].multicast(self.now, multicast_id, bounds, body))
        return multicast_id

    def send(self, sender: str, to: str, message: Message) -> None:
        """Lose, double and delay a message, which travels as bytes."""
        self.sent[type(message).__name__] += 1
        for _ in range(2 if self.rng.random() < self.doubling else 1):
            if self.rng.random() >= self.loss:
                due = self.now + self.rng.uniform(0.001, self.delay)
                data = msgspec.msgpack.encode(message)
                heapq.heappush(self._queue, (due, next(self._numbers), sender, to, data))

    def run(self, seconds: float) -> None:
        """Let time pass."""
        end = self.now + seconds
        while self.now < end:
            upto = min(self.now + TICK, end)
            while self._queue and self._queue[0][0] <= upto:
                self.now, _, sender, to, data = heapq.heappop(self._queue)
                if to in self.running and sender not in self.stopped and frozenset((sender, to)) not in self.cut:
                    self.do(to, self.nodes[to].receive(self.now, sender, _MESSAGES.decode(data)))
            self.now = upto
            for node_id, node in self.running.items():
                self.do(node_id, node.tick(self.now))

    def run_until_settled(self, most: float = 120.0) -> None:
        """Until nothing is under way and the space is tiled by what everybody agrees on."""
        end = self.now + most
        self.run(1)
        while self.now < end and not self.is_settled:
            self.run(1)
        assert self.is_settled, f"not settled: {self.problems()[:8]}"

    @property
    def is_settled(self) -> bool:
        is_idle = all(
            node.is_settled and node.stage in (Stage.IN, Stage.LEFT, Stage.OUTSIDE) for node in self.running.values()
        )
        return is_idle and not self.problems()

    def do(self, node_id: str, effects: Sequence[Effect]) -> None:
        for effect in effects:
            match effect:
                case Send(to, message):
                    self.send(node_id, to, message)
                case MulticastReceived(multicast_id, _, boxes, body):
                    self.received[multicast_id] += [(node_id, box) for box in boxes]
                    if body.startswith(b"put "):
                        self._store(node_id, boxes[0].lower, body[4:])
                case MulticastCompleted(multicast_id):
                    self.completed.add(multicast_id)
                case Orphaned(zones):
                    self._republish(node_id, zones)
                case Replicated(ticket):
                    point = self._replicating.pop((node_id, ticket))
                    self.stored[point] = self.contents[node_id].items.get(point, b"")
                case TakenOver():
                    self.taken.append(effect)
                case Refused():
                    self.refused.append(effect)

    def _store(self, node_id: str, point: Point, body: bytes) -> None:
        self.contents[node_id].add(point, body)
        ticket = next(self._numbers)
        self._replicating[node_id, ticket] = point
        self.do(node_id, self.nodes[node_id].replicate(self.now, exported([(point, body)]), ticket))

    def _republish(self, node_id: str, zones: Sequence[Zone]) -> None:
        contents = self.contents[node_id]
        for zone in zones:
            found = {point: contents.items[point] for point in contents.points(zone)}
            contents.discard(zone)
            for point, body in found.items():
                self.put(point, body, at=node_id)

    # Checks

    def problems(self) -> list[str]:
        """What is wrong with the tiling, with what neighbours know of each other, and with what is stored."""
        return [*self.tiling_problems(), *self._table_problems(), *self._storage_problems()]

    def tiling_problems(self) -> list[str]:
        zones = [(node_id, zone) for node_id, node in self.running.items() for zone in node.zones]
        overlaps = [f"{one} and {other} overlap" for (one, a), (other, b) in combinations(zones, 2) if a.touches(b)]
        holes = minus([SPACE], [zone for _, zone in zones])
        return overlaps + [f"nobody owns {hole}" for hole in holes]

    def _table_problems(self) -> list[str]:
        found = []
        for node_id, node in self.running.items():
            known = {record.id: {claim.zone for claim in record.claims} for record in node.neighbours}
            actual = {
                other: set(peer.zones)
                for other, peer in self.running.items()
                if other != node_id and any(a.adjoins(b) for a in node.zones for b in peer.zones)
            }
            if known != actual:
                found.append(f"{node_id} knows {sorted(known)} as neighbours, not {sorted(actual)}, or other zones")
        return found

    def _storage_problems(self) -> list[str]:
        kept = [
            (owner, holder, {point for part in node.replica_of(owner) for point, _ in _ITEMS.decode(part)})
            for holder, node in self.running.items()
            for owner in self.running
        ]
        found = []
        for point in self.stored:
            owners = [node_id for node_id, node in self.running.items() if node.owns(point)]
            at = [node_id for node_id in self.running if point in self.contents[node_id].items]
            replicas = [holder for owner, holder, points in kept if owner in owners and point in points]
            if at != owners or len(replicas) != (len(self.members) > 1):
                found.append(f"{point} is at {at} and in replica at {replicas}, owned by {owners}")
        return found
