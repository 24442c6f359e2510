"""What a super-peer knows, for people: the cube, the indices as the paper's Table 1 has them, the poset, and counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from typing import Any

from triplewire.network.messages import Member
from triplewire.network.routing.forwarding import Origin
from triplewire.network.routing.indices import Indices
from triplewire.network.superpeer import SuperPeer
from triplewire.node.network.shell import Overlay
from triplewire.node.network.tally import by_kind


def shown(overlay: Overlay, most: int) -> dict[str, Any]:
    """Everything, with at most so many rows of an index and lines of the poset."""
    peer = overlay.peer
    heard = peer.memory().heard
    return {
        "id": peer.id,
        "address": overlay.address,
        "network": overlay.plan.key.fingerprint,
        "stage": peer.stage.value,
        "slot": peer.slot,
        "label": _label(peer, peer.slot),
        "head": heard.get(peer.id, 0),
        "members": [_member(peer, member, heard.get(member.id)) for member in _by_place(peer)],
        "neighbours": _neighbours(peer),
        "indices": _indices(peer, most),
        "poset": list(_poset(peer, most)),
        "subscriptions": len(peer.router.poset),
        "messages": {"sent": by_kind(overlay.tally.sent), "received": by_kind(overlay.tally.received)},
        "lines": _lines(overlay),
        "events": dict(overlay.tally.events),
        "refused": dict(overlay.transport.refused),
        "dropped": dict(overlay.transport.dropped),
    }


def _by_place(peer: SuperPeer) -> list[Member]:
    """Everybody, those that are gone last."""
    places = peer.members.place_of
    return sorted(peer.members.all, key=lambda member: (member.id not in places, places.get(member.id, 0), member.id))


def _member(peer: SuperPeer, member: Member, heard: int | None) -> dict[str, Any]:
    slot = peer.members.place_of.get(member.id)
    return {
        "id": member.id,
        "address": member.address,
        "slot": slot,
        "label": _label(peer, slot),
        "status": member.status.name.lower(),
        "incarnation": member.incarnation,
        "heard": heard,
    }


def _label(peer: SuperPeer, slot: int | None) -> str | None:
    return None if slot is None else peer.cube.label(slot)


def _neighbours(peer: SuperPeer) -> list[dict[str, Any]]:
    if peer.slot is None:
        return []
    chosen = enumerate(peer.cube.neighbours(peer.slot))
    return [
        {"dimension": dimension, "slot": place, "label": peer.cube.label(place), "id": peer.members.places[place]}
        for dimension, place in chosen
    ]


def _indices(peer: SuperPeer, most: int) -> dict[str, Any]:
    offering = peer.router.offering
    return {"peers": _rows(offering.peers, most), "dimensions": _rows(offering.dimensions, most)}


def _rows(indices: Indices[Any], most: int) -> dict[str, Any]:
    rows = [
        {"level": row.element.level.name.lower(), "element": str(row.element), "targets": _sorted(row.targets)}
        for row, _ in zip(indices.rows(), range(most), strict=False)
    ]
    return {"rows": rows, "more": max(0, len(indices) - len(rows))}


def _sorted(targets: Iterable[Hashable]) -> list[Any]:
    return sorted(targets, key=str)


def _poset(peer: SuperPeer, most: int) -> Iterable[str]:
    def spelled(origin: Origin) -> str:
        if isinstance(origin, str):
            return origin
        slot = peer.members.place_of.get(origin[0])
        return f"super-peer {origin[0] if slot is None else slot} on dimension {origin[1]}"

    for line, _ in zip(peer.router.poset.lines(spelled), range(most), strict=False):
        yield line


def _lines(overlay: Overlay) -> dict[str, dict[str, int]]:
    """What was sent to whom, by kind."""
    names = {member.address: member.id for member in overlay.peer.members.all}
    found: dict[str, Counter[str]] = {}
    for (address, kind), count in overlay.tally.sent.items():
        found.setdefault(names.get(address, address), Counter())[kind] += count
    return {name: dict(sorted(counts.items())) for name, counts in found.items()}
