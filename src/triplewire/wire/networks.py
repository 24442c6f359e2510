"""What a node reports of its network: the body of `GET /network`."""

from __future__ import annotations

from msgspec import Struct


class MemberView(Struct, frozen=True):
    """A super-peer as another one knows it. Slot and label are its place in the cube, None for one that is gone.

    `heard` is its watermark here: the position of its log up to which everything that is wanted here was received.
    """

    id: str
    address: str
    slot: int | None
    label: str | None
    status: str
    incarnation: int
    heard: int | None = None


class NeighbourView(Struct, frozen=True):
    """Whom the super-peer has chosen in one of its dimensions."""

    dimension: int
    slot: int
    label: str
    id: str


class RowView(Struct, frozen=True):
    """A row of an index, as in the paper's Table 1: schemas, properties, or a property with values; and for whom.

    Targets of an SP/P index are peers, those of an SP/SP index are dimensions.
    """

    level: str
    element: str
    targets: tuple[str, ...]


class IndexView(Struct, frozen=True):
    """An index, or its first rows and how many more there are."""

    rows: tuple[RowView, ...] = ()
    more: int = 0


class NetworkView(Struct, frozen=True, kw_only=True):
    """One super-peer's view. `lines` counts what it sent, by member and kind; `poset` is an indented tree."""

    id: str
    address: str
    network: str
    stage: str
    slot: int | None
    label: str | None
    head: int
    members: tuple[MemberView, ...]
    neighbours: tuple[NeighbourView, ...]
    peers: IndexView
    dimensions: IndexView
    poset: tuple[str, ...]
    subscriptions: int
    sent: dict[str, int]
    received: dict[str, int]
    lines: dict[str, dict[str, int]]
    events: dict[str, int]
    refused: dict[str, int]
    dropped: dict[str, int]
