"""What a node reports of its space: the bodies of `GET /space` and `POST /space/leave`."""

from __future__ import annotations

from msgspec import Struct

Corner = tuple[str, str, str, str]
OpenCorner = tuple[str | None, str | None, str | None, str | None]


class ZoneView(Struct, frozen=True):
    """A zone: from its lower corner, up to, but without, the upper one, where None is open; and what it stores.

    Coordinates are graph, subject, predicate and object, as the beginnings of N-Triples text.
    """

    lower: Corner
    upper: OpenCorner
    epoch: int
    quads: int


class SpaceNodeView(Struct, frozen=True):
    """A node of the space, as it describes itself. `holder` keeps its replica."""

    id: str
    address: str
    stage: str
    incarnation: int
    zones: tuple[ZoneView, ...]
    quads: int
    holder: str | None
    neighbours: tuple[str, ...]


class SpaceView(Struct, frozen=True, kw_only=True):
    """One node's view of its space. `silent` are nodes that did not answer; counters are the node's own.

    `worker` is the identifier of its worker process, which was started so many times.
    """

    id: str
    address: str
    space: str
    strategy: str
    nodes: tuple[SpaceNodeView, ...]
    silent: tuple[str, ...] = ()
    watermark: int = 0
    under_way: int = 0
    starts: int = 0
    worker: int | None = None
    commits: int = 0
    taken_over: int = 0
    sent: dict[str, int] = {}
    received: dict[str, int] = {}
    events: dict[str, int] = {}
    refused: dict[str, int] = {}
    dropped: dict[str, int] = {}
    trouble: str | None = None


class SpaceDeparture(Struct, frozen=True):
    """How far a node is that leaves its space for good: `stage` is `leaving` until others have all that it had.

    `quads` it still has to hand over; `under_way` are events of its log that are not in the space yet.
    """

    id: str
    stage: str
    quads: int
    under_way: int

    @property
    def is_complete(self) -> bool:
        return self.stage == "left"
