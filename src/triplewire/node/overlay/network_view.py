"""The network as a super-peer knows it, for people: the cube, the indices (the paper's Table 1), the poset, counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Any

from triplewire.network.messages import Member
from triplewire.network.routing.advertisements.index import AdvertisementIndex
from triplewire.network.routing.subscriptions.forwarding import Origin
from triplewire.network.superpeer import SuperPeer
from triplewire.node.overlay.overlay import Overlay
from triplewire.node.overlay.traffic_counters import by_kind
from triplewire.wire.networks import IndexView, MemberView, NeighbourView, NetworkView, RowView


def network_view(overlay: Overlay, most: int) -> NetworkView:
    """The view, with at most so many rows of an index and lines of the poset."""
    peer, counters = overlay.peer, overlay.counters
    watermarks = peer.saved_state().watermarks
    return NetworkView(
        id=peer.id,
        address=overlay.address,
        network=overlay.settings.key.fingerprint,
        stage=peer.stage.value,
        slot=peer.place,
        label=_label(peer, peer.place),
        head=watermarks.get(peer.id, 0),
        members=tuple(_member(peer, member, watermarks.get(member.id)) for member in _by_place(peer)),
        neighbours=tuple(_neighbours(peer)),
        peers=_index(peer.router.advertisements.peers, most),
        dimensions=_index(peer.router.advertisements.dimensions, most),
        poset=tuple(islice(peer.router.poset.lines(lambda origin: _format_origin(peer, origin)), most)),
        subscriptions=len(peer.router.poset),
        sent=by_kind(counters.sent),
        received=by_kind(counters.received),
        lines=_sent_by_member(overlay),
        events=dict(counters.events),
        refused=dict(overlay.transport.refused),
        dropped=dict(overlay.transport.dropped),
    )


def _by_place(peer: SuperPeer) -> list[Member]:
    """All members by place, those that are gone last."""
    places = peer.members.place_of
    return sorted(peer.members.all, key=lambda member: (member.id not in places, places.get(member.id, 0), member.id))


def _member(peer: SuperPeer, member: Member, watermarks: int | None) -> MemberView:
    slot = peer.members.place_of.get(member.id)
    status = member.status.name.lower()
    return MemberView(member.id, member.address, slot, _label(peer, slot), status, member.incarnation, watermarks)


def _label(peer: SuperPeer, slot: int | None) -> str | None:
    return None if slot is None else peer.cube.label(slot)


def _neighbours(peer: SuperPeer) -> Iterator[NeighbourView]:
    chosen = [] if peer.place is None else peer.cube.neighbours(peer.place)
    for dimension, place in enumerate(chosen):
        yield NeighbourView(dimension, place, peer.cube.label(place), peer.members.places[place])


def _index(indices: AdvertisementIndex[Any], most: int) -> IndexView:
    rows = tuple(
        RowView(row.element.level.name.lower(), str(row.element), tuple(sorted(map(str, row.targets))))
        for row in islice(indices.rows(), most)
    )
    return IndexView(rows, len(indices) - len(rows))


def _format_origin(peer: SuperPeer, origin: Origin) -> str:
    """The origin of a subscription as text: one of our own, or the place of a super-peer."""
    if isinstance(origin, str):
        return origin
    member, dimension = origin
    return f"super-peer {peer.members.place_of.get(member, member)} on dimension {dimension}"


def _sent_by_member(overlay: Overlay) -> dict[str, dict[str, int]]:
    names = {member.address: member.id for member in overlay.peer.members.all}
    found: dict[str, Counter[str]] = {}
    for (address, kind), count in overlay.counters.sent.items():
        found.setdefault(names.get(address, address), Counter())[kind] += count
    return {name: dict(sorted(counts.items())) for name, counts in found.items()}
