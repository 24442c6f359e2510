"""The messenger: sends messages to owners of points and boxes and to nodes, and repeats them until they are receipted.

A message goes straight to whoever is known to own what it is for: the neighbours, and those that earlier receipts told
of. The rest is routed: points greedily, boxes over the multicast's tree. What was sent to the wrong node is routed on
from there, and a message that nobody has answered takes the way by the neighbours, whose tables are kept up.

A receipt travels when the consumer says so, and receipts for one origin travel together, at the next `flush`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from triplewire.network.can.effects import Completed, Effect, Received, Send
from triplewire.network.can.geometry.space import Bounds, Point, Zone
from triplewire.network.can.journal import Journal
from triplewire.network.can.messages import Address, Cast, Multicast, Receipt, Receipts
from triplewire.network.can.messaging.incoming import IncomingCasts
from triplewire.network.can.messaging.multicasts import HandledMulticasts, is_parent
from triplewire.network.can.messaging.outgoing import KeptCast, OutgoingCast, OutgoingCasts
from triplewire.network.can.messaging.owners import KnownOwners
from triplewire.network.can.messaging.round_trips import RoundTrips
from triplewire.network.can.ownership.claims import minus
from triplewire.network.can.ownership.ownership import Ownership, Stage
from triplewire.network.can.timings import Timings

# How many missing parts one attempt sends over the tree: the rest follows when they are receipted.
_MOST_PARTS = 16

_Direct = defaultdict[Address, tuple[list[Point], list[Bounds]]]


class Messenger:
    """The messages of one node."""

    def __init__(
        self, me: Address, ownership: Ownership, handled: HandledMulticasts, journal: Journal, timings: Timings
    ) -> None:
        self._me = me
        self._ownership = ownership
        self._handled = handled
        self._owners = KnownOwners()
        self._incoming = IncomingCasts(handled, timings.remember)
        self._outgoing = OutgoingCasts(journal, timings.retry)
        self._round_trips = RoundTrips(timings.retry)
        self._receipts: defaultdict[Address, list[Receipt]] = defaultdict(list)

    # Reading

    @property
    def is_idle(self) -> bool:
        """Whether no message or receipt is under way, but for messages to nodes that do not answer."""
        return self._outgoing.is_idle and not self._receipts

    @property
    def has_durable(self) -> bool:
        return bool(self._outgoing.durable)

    # Sending

    def send(self, now: float, cast_id: str, kept: KeptCast, is_durable: bool) -> list[Effect]:
        """Send a message, unless it is under way."""
        if kept.to is None and not kept.points and not kept.boxes:
            return [Completed(cast_id)]
        cast = self._outgoing.add(cast_id, kept, is_durable)
        return [] if cast is None else self._attempt(now, cast)

    def cancel(self, cast_id: str) -> None:
        self._outgoing.cancel(cast_id)

    def unanswered(self) -> list[tuple[str, Address, bytes]]:
        """Durable messages to nodes that have not receipted them: identifier, receiver and body."""
        return [(cast.id, cast.to, cast.body) for cast in self._outgoing.direct() if cast.to is not None]

    def cancel_to(self, node: str) -> None:
        self._outgoing.cancel_to(node)

    def heard(self, node: str) -> None:
        """A node has sent us something: messages to it are not in vain, if they were."""
        self._outgoing.heard(node)

    def adopt(self, now: float) -> list[Effect]:
        """Send the durable messages of a node whose zones were taken over."""
        return [effect for cast in self._outgoing.adopt() for effect in self._attempt(now, cast)]

    def receipt(self, now: float, cast_id: str) -> list[Effect]:
        """The consumer is done with what it has received of a message."""
        pending = self._incoming.receipt(now, cast_id)
        if pending is None:
            return []
        return self._tell(pending.origin, Receipt(cast_id, tuple(pending.points), tuple(pending.boxes)))

    def drop(self, cast_id: str) -> None:
        """The consumer does not take a message; it stays without a receipt."""
        self._incoming.drop(cast_id)

    def answer(self, cast_id: str, to: Address, body: bytes) -> list[Effect]:
        """Send what takes the place of a receipt; with the receipts goes who owns what."""
        self._receipts.setdefault(to, [])
        return [Send(to.address, Cast(cast_id, self._me, body))]

    def answered(self, cast_id: str, boxes: Sequence[Bounds]) -> None:
        """An answer has come for these boxes."""
        self._outgoing.receipted(cast_id, (), boxes, "")

    def flush(self) -> list[Effect]:
        """Send the receipts that have gathered."""
        zones = self._ownership.zones
        effects: list[Effect] = [
            Send(origin.address, Receipts(self._me, zones, tuple(receipts)))
            for origin, receipts in self._receipts.items()
        ]
        self._receipts.clear()
        return effects

    def tick(self, now: float) -> list[Effect]:
        """Repeat what is due."""
        effects: list[Effect] = []
        if self._ownership.stage is not Stage.OUTSIDE:
            for cast in self._outgoing.due(now):
                effects += self._attempt(now, cast)
        self._incoming.prune(now)
        return [*effects, *self.flush()]

    # Receiving

    def cast(self, now: float, cast: Cast) -> list[Effect]:
        """Handle what is for us, and send the rest on."""
        if not cast.points and not cast.boxes:
            return self._arrived_directly(cast)
        return self._deliver(now, cast)

    def multicast(self, now: float, multicast: Multicast) -> list[Effect]:
        """Handle a multicast where it is for us, and send it on its way where it is not."""
        zones = self._ownership.zones
        if multicast.zone is not None:
            target = multicast.zone.intersection(multicast.part)
            return self._spread(now, multicast, [zone for zone in zones if zone.touches(target)])
        corner = multicast.part.lower
        root = [zone for zone in zones if corner in zone]
        if root:
            return self._spread(now, multicast, root)
        hop = self._ownership.next_hop(multicast.position, corner)
        if hop is not None:
            return [Send(hop[1].address, replace(multicast, position=hop[0]))]
        entry = None if zones else self._entry(multicast.attempt)
        return [] if entry is None else [Send(entry, multicast)]

    def receipted(self, now: float, sender: str, message: Receipts) -> list[Effect]:
        if message.sender.id == sender:
            self._owners.learn(message.sender, message.zones)
        for receipt in message.receipts:
            cast = self._outgoing.get(receipt.id)
            if cast is not None and cast.attempt:
                self._round_trips.took(now - cast.first_sent)
        done = (
            receipt.id
            for receipt in message.receipts
            if self._outgoing.receipted(receipt.id, receipt.points, receipt.boxes, sender)
        )
        return [Completed(cast_id) for cast_id in done]

    # Private: sending

    def _attempt(self, now: float, cast: OutgoingCast) -> list[Effect]:
        self._outgoing.attempt(now, cast)
        cast.first_sent = min(cast.first_sent, now)
        cast.due = max(cast.due, now + self._round_trips.patience)
        if cast.to is not None:
            message = Cast(cast.id, self._me, cast.body)
            if cast.to.id == self._me.id:
                return self._arrived_directly(message)
            address = self._ownership.table.members.get(cast.to.id, cast.to.address)
            return [Send(address, message)]
        direct, points, boxes = self._known(cast)
        effects: list[Effect] = []
        for owner, (own_points, own_boxes) in direct.items():
            message = Cast(cast.id, self._me, cast.body, tuple(own_points), tuple(own_boxes))
            effects += self._deliver(now, message) if owner.id == self._me.id else [Send(owner.address, message)]
        effects += self._route_points(Cast(cast.id, self._me, cast.body), points, cast.attempt)
        asked = boxes[:_MOST_PARTS]
        cast.asked = tuple(bounds for bounds, _ in asked) if len(asked) < len(boxes) else ()
        for bounds, part in asked:
            effects += self.multicast(now, Multicast(cast.id, cast.attempt, self._me, bounds, part, cast.body))
        return effects

    def _known(self, cast: OutgoingCast) -> tuple[_Direct, list[Point], list[tuple[Bounds, Bounds]]]:
        """What of a message goes straight to its owner; the points, and the parts of bounds, with unknown owners."""
        # Whoever was learnt of may be gone: without an answer to the last attempt, only neighbours count.
        owned = self._owned(with_learnt=cast.futile == 1)
        direct: _Direct = defaultdict(lambda: ([], []))
        points = []
        for point in cast.points:
            owner = next((owner for zone, owner in owned if point in zone), None)
            if owner is None:
                points.append(point)
            else:
                direct[owner][0].append(point)
        unknown = []
        for bounds, missing in cast.boxes.items():
            touched = [found for found in owned if any(found[0].touches(part) for part in missing)]
            if rest := minus(missing, [zone for zone, _ in touched]):
                unknown += [(bounds, part) for part in (missing if cast.attempt == 1 else rest)]
            if not rest or cast.attempt > 1:
                for owner, box in _shared_out(bounds, touched):
                    direct[owner][1].append(box)
        return direct, points, unknown

    def _owned(self, with_learnt: bool) -> list[tuple[Zone, Address]]:
        """The zones that we know an owner of: ours, those of neighbours, and what receipts told."""
        own = [(zone, self._me) for zone in self._ownership.zones]
        around = [(claim.zone, Address(record.id, record.address)) for claim, record in self._ownership.table.claims()]
        return [*own, *around, *(self._owners if with_learnt else ())]

    def _route_points(self, cast: Cast, points: Iterable[Point], attempt: int = 0) -> list[Effect]:
        hops: defaultdict[tuple[str, Zone], list[Point]] = defaultdict(list)
        lost = []
        for point in points:
            hop = self._ownership.next_hop(cast.position, point)
            if hop is None:
                lost.append(point)
            else:
                hops[hop[1].address, hop[0]].append(point)
        effects: list[Effect] = [
            Send(address, replace(cast, points=tuple(group), boxes=(), position=zone))
            for (address, zone), group in hops.items()
        ]
        entry = self._entry(attempt) if lost and not self._ownership.zones and attempt else None
        if entry is not None:
            effects.append(Send(entry, replace(cast, points=tuple(lost), boxes=())))
        return effects

    def _entry(self, attempt: int) -> str | None:
        """A member that routes for us while we have no zones, another one each time."""
        members = sorted(self._ownership.table.members.values())
        return members[attempt % len(members)] if members else None

    # Private: receiving

    def _arrived_directly(self, cast: Cast) -> list[Effect]:
        is_new = self._incoming.arrive_directly(cast.id, cast.origin)
        if is_new:
            return [Received(cast.id, cast.origin, (), (), cast.body)]
        return [] if is_new is None else self._tell(cast.origin, Receipt(cast.id))

    def _deliver(self, now: float, cast: Cast) -> list[Effect]:
        """Hand out what a message has for our zones, and route the rest."""
        zones = self._ownership.zones
        points = [point for point in cast.points if any(point in zone for zone in zones)]
        boxes = [zone.intersection(box) for box in cast.boxes for zone in zones if zone.touches(box)]
        effects: list[Effect] = []
        # After a restart somebody else may own them; the origin repeats.
        if (points or boxes) and self._ownership.serves(now):
            effects += self._arrived(now, cast.id, cast.origin, points, boxes, cast.body)
        if len(points) < len(cast.points):
            own = set(points)
            effects += self._route_points(cast, [point for point in cast.points if point not in own])
        for rest in [part for box in cast.boxes for part in minus([box], zones)]:
            effects += self.multicast(now, Multicast(cast.id, 0, cast.origin, rest, rest, cast.body))
        return effects

    def _arrived(
        self,
        now: float,
        cast_id: str,
        origin: Address,
        points: Sequence[Point],
        boxes: Sequence[Bounds],
        body: bytes,
    ) -> list[Effect]:
        arrival = self._incoming.arrive(now, cast_id, origin, points, boxes)
        effects: list[Effect] = []
        if arrival.points or arrival.boxes:
            effects.append(Received(cast_id, origin, arrival.points, arrival.boxes, body))
        if arrival.is_receipted:
            effects += self._tell(origin, Receipt(cast_id, arrival.receipted_points, arrival.receipted_boxes))
        return effects

    def _spread(self, now: float, multicast: Multicast, zones: Iterable[Zone]) -> list[Effect]:
        """Handle a multicast in some of our zones and in those of our others that come after them in the tree."""
        effects: list[Effect] = []
        # After a restart somebody else may own them; the origin repeats.
        waiting = list(zones) if self._ownership.serves(now) else []
        for zone in waiting:
            box = zone.intersection(multicast.bounds)
            effects += self._arrived(now, multicast.id, multicast.origin, (), (box,), multicast.body)
            if self._handled.first(now, multicast, zone):
                waiting += [own for own in self._ownership.zones if is_parent(zone, own, multicast.part)]
                effects += self._to_children(multicast, zone)
        return effects

    def _to_children(self, multicast: Multicast, zone: Zone) -> list[Effect]:
        return [
            Send(record.address, replace(multicast, zone=claim.zone, position=None))
            for claim, record in self._ownership.table.claims()
            if is_parent(zone, claim.zone, multicast.part)
        ]

    def _tell(self, origin: Address, receipt: Receipt) -> list[Effect]:
        if origin.id != self._me.id:
            self._receipts[origin].append(receipt)
            return []
        is_complete = self._outgoing.receipted(receipt.id, receipt.points, receipt.boxes, self._me.id)
        return [Completed(receipt.id)] if is_complete else []


def _shared_out(bounds: Bounds, touched: Sequence[tuple[Zone, Address]]) -> list[tuple[Address, Bounds]]:
    """What every known owner has of bounds, unless others that come before have all of it."""
    boxes = [bounds.intersection(zone) for zone, _ in touched]
    return [(owner, boxes[at]) for at, (_, owner) in enumerate(touched) if at == 0 or minus([boxes[at]], boxes[:at])]
