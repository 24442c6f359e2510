"""A small space in memory: nodes with disks, a virtual clock, a network that loses, doubles and reorders by seed."""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, count
from random import Random

import msgspec

from triplewire.network.can.effects import (
    Completed,
    Deposited,
    Effect,
    Received,
    Refused,
    Replicated,
    Send,
    TakenOver,
)
from triplewire.network.can.geometry.space import SPACE, Bounds, Box, Point, Zone, bounds_of_point
from triplewire.network.can.messages import Message
from triplewire.network.can.node import CanNode
from triplewire.network.can.ownership.claims import minus
from triplewire.network.can.ownership.kept_replicas import KeptReplicas
from triplewire.network.can.ownership.ownership import Stage
from triplewire.network.can.timings import Timings
from triplewire.testing.memory_storage import MemoryStorage

TICK = 0.25
# Few, so that a handful of items are several chunks; more where there are many.
_ITEMS_A_CHUNK, _CHUNKS_A_ZONE = 3, 8
_ITEMS = msgspec.msgpack.Decoder(list[Point])
_MESSAGES = msgspec.msgpack.Decoder(Message)


class MemoryContents:
    """Items, each of which is its point, in a storage that a crash takes back to the last commit."""

    def __init__(self, storage: MemoryStorage) -> None:
        self._storage = storage

    @property
    def items(self) -> set[Point]:
        return set(self._storage.quads(SPACE))

    def add(self, points: Iterable[Point]) -> None:
        self._storage.add_quads(list(points))

    def load(self, zone: Zone) -> int:
        return self._storage.count(zone)

    def points(self, zone: Zone) -> Sequence[Point]:
        return self._storage.quads(zone)

    def export(self, zones: Sequence[Zone]) -> Iterator[bytes]:
        for zone in zones:
            after: Point | None = None
            size = max(_ITEMS_A_CHUNK, self.load(zone) // _CHUNKS_A_ZONE)
            while found := self._storage.quads(zone, after, size):
                yield exported(found)
                after = found[-1]

    def merge(self, chunk: bytes) -> None:
        self.add(_ITEMS.decode(chunk))

    def restrict(self, chunk: bytes, zones: Sequence[Zone]) -> bytes:
        found = [point for point in _ITEMS.decode(chunk) if any(point in zone for zone in zones)]
        return exported(found) if found else b""

    def objection(self, chunk: bytes) -> str | None:
        return None

    def adopt(self, chunk: bytes) -> None:
        """Nothing is under way in here."""

    def discard(self, zone: Zone) -> None:
        self._storage.remove_quads(zone)


def exported(items: Iterable[Point]) -> bytes:
    return msgspec.msgpack.encode(list(items))


class World:
    """All nodes. `loss` and `doubling` are probabilities, a message takes up to `delay` seconds.

    After every step a node's storage is committed; only then its messages leave. A node that is killed in the middle
    of a step has neither.
    """

    def __init__(
        self, seed: int, loss: float = 0.0, doubling: float = 0.0, delay: float = 0.05, timings: Timings | None = None
    ) -> None:
        self.rng = Random(seed)
        self.timings = timings or Timings()
        self.loss, self.doubling, self.delay = loss, doubling, delay
        self.now = 0.0
        self.nodes: dict[str, CanNode] = {}
        self.contents: dict[str, MemoryContents] = {}
        self.storages: defaultdict[str, MemoryStorage] = defaultdict(MemoryStorage)
        self.stopped: set[str] = set()
        self.dead: set[str] = set()
        self.cut: set[frozenset[str]] = set()
        self.stored: set[Point] = set()
        self.received: dict[str, list[tuple[str, Box]]] = defaultdict(list)
        self.completed: set[str] = set()
        self.taken: list[TakenOver] = []
        self.refused: list[Refused] = []
        self.sent: Counter[str] = Counter()
        self._dying: set[str] = set()
        self._replicating: dict[tuple[str, int], tuple[tuple[Point, ...], str]] = {}
        self._queue: list[tuple[float, int, str, str, bytes]] = []
        self._numbers = count()

    # Nodes

    def add(self, node_id: str) -> CanNode:
        """A process over the disk of a node."""
        self.contents[node_id] = MemoryContents(self.storages[node_id])
        rng = Random(self.rng.random())
        self.nodes[node_id] = CanNode(
            node_id, node_id, self.contents[node_id], self.storages[node_id], rng, self.timings
        )
        self.storages[node_id].commit()
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

    def kill(self, node_id: str) -> None:
        """Kill a process in the middle of its next step. Its disk stays, for `restart`."""
        self._dying.add(node_id)
        self._run_step(node_id, self.nodes[node_id].tick(self.now))

    def restart(self, node_id: str) -> None:
        self.add(node_id)

    def lose(self, node_id: str) -> None:
        """Kill a process and burn its disk."""
        self.kill(node_id)
        self.dead.add(node_id)

    def is_dispensable(self, node_id: str) -> bool:
        """Whether every acknowledged item is on the disk of another node as well."""
        disks = (self.on_disk(other) for other in self.nodes if other != node_id and other not in self.dead)
        return self.stored <= set().union(*disks)

    def on_disk(self, node_id: str) -> set[Point]:
        """What a node has on its disk: its own, and the replicas that it keeps."""
        kept = KeptReplicas(self.storages[node_id])
        found = self.contents[node_id].items
        for owner in kept.owners:
            boxes = [box for replica in kept.of(owner) for box in replica.boxes]
            points = {point for chunk in kept.chunks(owner) for point in _ITEMS.decode(chunk)}
            found |= {point for point in points if any(point in box for box in boxes)}
        return found

    def grow(self, size: int, seconds: float = 3.0) -> None:
        """Found a space and let nodes join, one after the other."""
        self.found()
        for number in range(1, size):
            self.join(f"n{number}")
            self.run(seconds)

    @property
    def running(self) -> dict[str, CanNode]:
        return {node_id: node for node_id, node in self.nodes.items() if self._is_running(node_id)}

    def _is_running(self, node_id: str) -> bool:
        node = self.nodes.get(node_id)
        return node is not None and node_id not in self.stopped and node.stage is not Stage.LEFT

    @property
    def members(self) -> dict[str, CanNode]:
        return {node_id: node for node_id, node in self.running.items() if node.stage is Stage.IN}

    def anybody(self) -> str:
        return self.rng.choice(sorted(self.members))

    # Messages

    def put(self, point: Point, at: str | None = None) -> str:
        """Store something at a point."""
        at = at or self.anybody()
        cast_id = f"{at}:{next(self._numbers)}"
        self.do(at, self.nodes[at].cast(self.now, cast_id, [point], b"put"))
        return cast_id

    def multicast(self, bounds: Bounds, body: bytes, at: str | None = None) -> str:
        at = at or self.anybody()
        cast_id = f"{at}:{next(self._numbers)}"
        self.do(at, self.nodes[at].multicast(self.now, cast_id, [bounds], body))
        return cast_id

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
                if self._is_running(to) and sender not in self.stopped and frozenset((sender, to)) not in self.cut:
                    self.do(to, self.nodes[to].receive(self.now, sender, _MESSAGES.decode(data)))
            self.now = upto
            for node_id, node in self.running.items():
                self.do(node_id, node.tick(self.now))

    def run_until_in(self, node_id: str, most: float = 60.0) -> None:
        """Until a newcomer was let in."""
        end = self.now + most
        while node_id not in self.members:
            assert self.now < end, f"nobody lets {node_id} in"
            self.run(TICK)

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
        self._run_step(node_id, effects)

    def _run_step(self, node_id: str, effects: Sequence[Effect]) -> None:
        """Do what a step asks for, commit, and send."""
        later = list(self._handled(node_id, effects))
        if node_id in self._dying:
            self._dying.discard(node_id)
            self.storages[node_id].crash()
            self.stopped.add(node_id)
            return
        self.storages[node_id].commit()
        for effect in later:
            match effect:
                case Send(to, message):
                    self.send(node_id, to, message)
                case Replicated(ticket):
                    self.stored.update(self._replicating.pop((node_id, ticket))[0])

    def _handled(self, node_id: str, effects: Sequence[Effect]) -> Iterator[Effect]:
        """Handle what has arrived. What is left is done after the commit."""
        for effect in effects:
            match effect:
                case Send():
                    yield effect
                case Received():
                    yield from self._handled(node_id, self._received(node_id, effect))
                case Deposited(cast_id, _, boxes, chunk):
                    points = [point for point in _ITEMS.decode(chunk) if any(point in box for box in boxes)]
                    yield from self._handled(node_id, self._store(node_id, points, cast_id))
                case Completed(cast_id):
                    self.completed.add(cast_id)
                case Replicated(ticket):
                    yield effect
                    _, cast_id = self._replicating[node_id, ticket]
                    yield from self._handled(node_id, self._receipt(node_id, cast_id))
                case TakenOver():
                    self.taken.append(effect)
                case Refused():
                    self.refused.append(effect)

    def _received(self, node_id: str, received: Received) -> Sequence[Effect]:
        boxes = [*map(bounds_of_point, received.points), *received.boxes]
        self.received[received.cast_id] += [(node_id, box) for box in boxes]
        if received.body == b"put":
            return self._store(node_id, received.points, received.cast_id)
        return self._receipt(node_id, received.cast_id)

    def _receipt(self, node_id: str, cast_id: str) -> Sequence[Effect]:
        node = self.nodes[node_id]
        return [*node.receipt(self.now, cast_id), *node.flush()]

    def _store(self, node_id: str, points: Sequence[Point], cast_id: str) -> Sequence[Effect]:
        self.contents[node_id].add(points)
        ticket = next(self._numbers)
        self._replicating[node_id, ticket] = tuple(points), cast_id
        return self.nodes[node_id].replicate(self.now, exported(points), ticket)

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
            (owner, holder, {point for part in node.replica_of(owner) for point in _ITEMS.decode(part)})
            for holder, node in self.running.items()
            for owner in self.running
        ]
        found = []
        items = {node_id: self.contents[node_id].items for node_id in self.running}
        for point in sorted(self.stored):
            owners = [node_id for node_id, node in self.running.items() if node.owns(point)]
            at = [node_id for node_id in self.running if point in items[node_id]]
            replicas = [holder for owner, holder, points in kept if owner in owners and point in points]
            if at != owners or len(replicas) != (len(self.members) > 1):
                found.append(f"{point} is at {at} and in replica at {replicas}, owned by {owners}")
        return found
