"""Chunks: changes of what zones share, as they go from node to node.

A part of a replica, of a transfer and of a deposit is the same: a list of operations on the storage. The tables named
here go along with zones; every other one never leaves its node.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec
from msgspec import Struct

from triplewire.network.can.geometry.space import Point
from triplewire.network.eventspace.messages import EventHeader
from triplewire.network.eventspace.storage import SpaceStorage

SUBSCRIPTIONS = "subscriptions"
REMOVED = "removed"
WAITING = "waiting"
COLLECTORS = "collectors"
OUTBOX = "outbox"
SHARED_TABLES = frozenset({SUBSCRIPTIONS, REMOVED, WAITING, COLLECTORS, OUTBOX})

# How large a chunk is, about.
CHUNK_SIZE = 256 << 10


class Put(Struct, frozen=True, tag="put", array_like=True):
    """A record of a shared table."""

    table: str
    key: bytes
    value: bytes


class Delete(Struct, frozen=True, tag="delete", array_like=True):
    """A record of a shared table is gone."""

    table: str
    key: bytes


class AddEvent(Struct, frozen=True, tag="event", array_like=True):
    """The header of an event, encoded."""

    event: str
    header: bytes


class RemoveEvent(Struct, frozen=True, tag="forget", array_like=True):
    """The header of an event is gone."""

    event: str


class AddQuads(Struct, frozen=True, tag="quads", array_like=True):
    """Quadruples."""

    points: tuple[Point, ...]


Operation = Put | Delete | AddEvent | RemoveEvent | AddQuads

_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(tuple[Operation, ...])
_HEADER_DECODER = msgspec.msgpack.Decoder(EventHeader)


def encoded_chunk(operations: Sequence[Operation]) -> bytes:
    return _ENCODER.encode(operations)


def operations_in(chunk: bytes) -> tuple[Operation, ...]:
    """The operations of a chunk; an empty one has none."""
    return _DECODER.decode(chunk) if chunk else ()


def encoded_header(header: EventHeader) -> bytes:
    return _ENCODER.encode(header)


def header_in(encoded: bytes) -> EventHeader:
    return _HEADER_DECODER.decode(encoded)


def chunked(groups: Iterable[Sequence[Operation]], size: int = CHUNK_SIZE) -> Iterator[bytes]:
    """Operations as chunks of about a size, in their order. What is one group stays in one chunk."""
    chunk: list[Operation] = []
    weight = 0
    for group in groups:
        chunk.extend(group)
        weight += sum(map(_weight, group))
        if weight >= size:
            yield encoded_chunk(chunk)
            chunk, weight = [], 0
    if chunk:
        yield encoded_chunk(chunk)


def pages(points: Iterable[Point], size: int = CHUNK_SIZE) -> Iterator[list[Point]]:
    """Quadruples in parts of about a size."""
    part: list[Point] = []
    weight = 0
    for point in points:
        part.append(point)
        weight += sum(map(len, point))
        if weight >= size:
            yield part
            part, weight = [], 0
    if part:
        yield part


def with_headers(points: Sequence[Point], storage: SpaceStorage) -> list[Operation]:
    """Quadruples, and the headers of their events: a chunk that has the one has the other."""
    operations: list[Operation] = []
    for graph in dict.fromkeys(point[0] for point in points):
        event = graph[1:-1].decode()
        header = storage.event(event)
        if header is not None:
            operations.append(AddEvent(event, header))
    return [*operations, AddQuads(tuple(points))]


def apply(operation: Operation, storage: SpaceStorage) -> None:
    """Do to a storage what was done to another. The same again changes nothing."""
    if isinstance(operation, Put):
        storage.put(operation.table, operation.key, operation.value)
    elif isinstance(operation, Delete):
        storage.delete(operation.table, operation.key)
    elif isinstance(operation, AddEvent):
        storage.add_event(operation.event, operation.header, header_in(operation.header).stamp.horizon)
    elif isinstance(operation, RemoveEvent):
        storage.remove_event(operation.event)
    else:
        storage.add_quads(operation.points)


class RecordingStorage:
    """A storage that notes what is done to shared tables, events and quadruples: what a replica has to hear of.

    Removing the quadruples of a box is not noted: they have gone to another owner, and the replica is sent anew.
    """

    def __init__(self, storage: SpaceStorage) -> None:
        self._storage = storage
        self._operations: list[Operation] = []
        self._headers = set[str]()
        # What only reads goes straight through.
        self.get = storage.get
        self.items = storage.items
        self.event = storage.event
        self.events_following = storage.events_following
        self.quads = storage.quads
        self.quads_in = storage.quads_in
        self.count = storage.count
        self.remove_quads = storage.remove_quads
        self.commit = storage.commit

    def take(self) -> bytes:
        """What was noted since the last time, as a chunk; nothing if that is nothing."""
        operations, self._operations = self._operations, []
        self._headers.clear()
        return encoded_chunk(operations) if operations else b""

    def put(self, table: str, key: bytes, value: bytes) -> None:
        self._storage.put(table, key, value)
        if table in SHARED_TABLES:
            self._operations.append(Put(table, key, value))

    def delete(self, table: str, key: bytes) -> None:
        self._storage.delete(table, key)
        if table in SHARED_TABLES:
            self._operations.append(Delete(table, key))

    def add_event(self, event: str, header: bytes, horizon: Mapping[str, int]) -> bool:
        is_new = self._storage.add_event(event, header, horizon)
        if is_new:
            self._note_event(event, header)
        return is_new

    def remove_event(self, event: str) -> None:
        self._storage.remove_event(event)
        self._headers.discard(event)
        self._operations.append(RemoveEvent(event))

    def add_quads(self, points: Sequence[Point]) -> list[Point]:
        fresh = self._storage.add_quads(points)
        if fresh:
            self._note_headers(fresh)
            self._operations.append(AddQuads(tuple(fresh)))
        return fresh

    def _note_headers(self, points: Sequence[Point]) -> None:
        for graph in {point[0] for point in points}:
            event = graph[1:-1].decode()
            header = None if event in self._headers else self._storage.event(event)
            if header is not None:
                self._note_event(event, header)

    def _note_event(self, event: str, header: bytes) -> None:
        self._headers.add(event)
        self._operations.append(AddEvent(event, header))


def _weight(operation: Operation) -> int:
    if isinstance(operation, Put):
        return len(operation.key) + len(operation.value)
    if isinstance(operation, AddQuads):
        return sum(map(len, (value for point in operation.points for value in point)))
    return len(operation.header) if isinstance(operation, AddEvent) else 64
