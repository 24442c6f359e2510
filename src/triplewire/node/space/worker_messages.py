"""What a node and its worker say to each other, over the worker's standard input and output.

Several messages at a time, as an array of msgpack, preceded by its length. The first to the worker is `Begin`; the
first from it is a `Report`. After a restart of the worker the node says again what is not done.
"""

from __future__ import annotations

import struct

import msgspec
from msgspec import Struct

from triplewire.network.can.geometry.space import Bounds, Point, Zone
from triplewire.node.space.worker.messages import NodeDescription

LENGTH = struct.Struct(">Q")

# To the worker


class Begin(Struct, frozen=True, tag="begin", array_like=True):
    """How to take part: the space's server key and the node's own, where to listen, whom to join.

    `address` is where the node listened before, or must listen, if `is_fixed`. `patience` scales the timings.
    """

    folder: str
    server_secret: bytes
    own_secret: bytes
    address: str
    is_fixed: bool
    seeds: tuple[str, ...] = ()
    strategy: str = "auto"
    patience: float = 1.0


class Publish(Struct, frozen=True, tag="publish", array_like=True):
    """An event of the node's log; the ticket is its position there."""

    ticket: int
    event: str
    nquads: bytes
    time: str
    source: str | None


class Subscribe(Struct, frozen=True, tag="subscribe", array_like=True):
    """A subscription of the node's clients."""

    id: str
    language: str
    text: str


class Unsubscribe(Struct, frozen=True, tag="unsubscribe", array_like=True):
    """A subscription that has ended."""

    id: str


class Standing(Struct, frozen=True, tag="standing", array_like=True):
    """All subscriptions of the node. Any other that the space has of it ended while the worker did not run."""

    ids: tuple[str, ...]


class Accept(Struct, frozen=True, tag="accept", array_like=True):
    """Events that arrived are in the node's log."""

    events: tuple[str, ...]


class Fetch(Struct, frozen=True, tag="fetch", array_like=True):
    """All quadruples in some boxes, wherever they are. They come in pages, in no order."""

    ticket: int
    boxes: tuple[Bounds, ...]


class CancelFetch(Struct, frozen=True, tag="cancel-fetch", array_like=True):
    """Nobody waits for the rest of a fetch."""

    ticket: int


class Survey(Struct, frozen=True, tag="survey", array_like=True):
    """How every node of the space stands."""

    ticket: int


class Leave(Struct, frozen=True, tag="leave", array_like=True):
    """Hand everything over to neighbours, and end."""


Request = Begin | Publish | Subscribe | Unsubscribe | Standing | Accept | Fetch | CancelFetch | Survey | Leave

# From the worker


class Stored(Struct, frozen=True, tag="stored", array_like=True):
    """Every quadruple of a publication is stored, and once more in a replica."""

    ticket: int


class Conflict(Struct, frozen=True, tag="conflict", array_like=True):
    """A publication was refused: the space has its IRI with another content."""

    ticket: int
    wanted: str
    found: str


class Indexed(Struct, frozen=True, tag="indexed", array_like=True):
    """A subscription is established: it stands wherever an event can match it."""

    id: str


class Arrived(Struct, frozen=True, tag="arrived", array_like=True):
    """An event of another node for subscriptions of this one. Said again after a restart, until it is accepted."""

    event: str
    nquads: bytes
    time: str
    source: str | None
    origin: str
    position: int


class Fetched(Struct, frozen=True, tag="fetched", array_like=True):
    """What was fetched, or a part of it; and the zones that were asked."""

    ticket: int
    quads: tuple[Point, ...]
    is_last: bool
    zones: tuple[Zone, ...] = ()


class Surveyed(Struct, frozen=True, tag="surveyed", array_like=True):
    """How every node stands that answered, and who did not."""

    ticket: int
    nodes: tuple[NodeDescription, ...]
    silent: tuple[str, ...] = ()


class Report(Struct, frozen=True, tag="report", array_like=True):
    """How the worker stands; sent when its stage changes, and every second.

    `trouble` is why nothing is stored at present, if so.
    """

    address: str
    description: NodeDescription
    sent: dict[str, int]
    received: dict[str, int]
    refused: dict[str, int]
    dropped: dict[str, int]
    commits: int
    taken_over: int
    trouble: str | None = None


Answer = Stored | Conflict | Indexed | Arrived | Fetched | Surveyed | Report

_encoder = msgspec.msgpack.Encoder()
_requests = msgspec.msgpack.Decoder(list[Request])
_answers = msgspec.msgpack.Decoder(list[Answer])


def packed(messages: list[Request] | list[Answer]) -> bytes:
    """Messages, preceded by their length."""
    data = _encoder.encode(messages)
    return LENGTH.pack(len(data)) + data


def requests_in(data: bytes) -> list[Request]:
    return _requests.decode(data)


def answers_in(data: bytes) -> list[Answer]:
    return _answers.decode(data)
