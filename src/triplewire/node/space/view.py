"""The space for people: its nodes, their zones, and what each stores."""

from __future__ import annotations

from triplewire.network.can.geometry.space import Zone
from triplewire.network.can.messages import Claim
from triplewire.node.space.worker.messages import NodeDescription
from triplewire.wire.spaces import SpaceNodeView, ZoneView


def node_view(described: NodeDescription) -> SpaceNodeView:
    """A node as it has described itself."""
    record = described.record
    zones = tuple(map(zone_view, record.claims, described.loads))
    return SpaceNodeView(
        record.id,
        record.address,
        described.stage,
        record.incarnation,
        zones,
        sum(described.loads),
        record.holder,
        tuple(sorted(neighbour.id for neighbour in described.neighbours)),
    )


def zone_view(claim: Claim, quads: int) -> ZoneView:
    """A zone, its borders as text."""
    graph, subject, predicate, term = map(_text, claim.zone.lower)
    return ZoneView((graph, subject, predicate, term), _upper(claim.zone), claim.epoch, quads)


def _upper(zone: Zone) -> tuple[str | None, str | None, str | None, str | None]:
    graph, subject, predicate, term = (None if side.upper is None else _text(side.upper) for side in zone)
    return graph, subject, predicate, term


def _text(border: bytes) -> str:
    """A border may be any byte string, also a part of a character."""
    return border.decode("utf-8", "backslashreplace")
