"""A node of the space: its zones, its neighbours and its multicasts put together, without I/O.

Every method takes the time first, in monotonic seconds, and returns effects; the shell around it carries them out.

    node = CanNode("n-1", "tcp://…", contents, rng)
    effects = node.join(now, seeds=["tcp://…"])
    effects = node.receive(now, sender, message)
    effects = node.tick(now)                       # a few times a second
    effects = node.multicast(now, "m-1", bounds_of(predicate=exactly(…)), b"…")

A message to one point is a multicast to the bounds of that point. What is stored in answer to one is handed to
`replicate`, and is safe when `Replicated` comes back.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random

from msgspec.structs import replace

from triplewire.network.can import messages
from triplewire.network.can.contents import Contents
from triplewire.network.can.effects import Effect, MulticastCompleted, MulticastReceived, Send
from triplewire.network.can.messages import Address, Claim, Message, Multicast, Receipt, Record
from triplewire.network.can.multicasts import HandledMulticasts, OutgoingMulticasts, is_parent
from triplewire.network.can.ownership import Ownership, Stage
from triplewire.network.can.space import Bounds, Point, Zone
from triplewire.network.can.timings import Timings


class CanNode:
    """One node. `incarnation` has to grow from process to process of the same node."""

    def __init__(
        self,
        node_id: str,
        address: str,
        contents: Contents,
        rng: Random,
        timings: Timings = Timings(),  # noqa: B008  frozen
        incarnation: int = 1,
    ) -> None:
        self.id = node_id
        self._me = Address(node_id, address)
        self._handled = HandledMulticasts(timings.remember)
        self._outgoing = OutgoingMulticasts(self._me, timings.retry)
        self._ownership = Ownership(self._me, contents, self._handled, rng, timings, incarnation)

    # Reading

    @property
    def stage(self) -> Stage:
        return self._ownership.stage

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The zones that this node owns, with their epochs."""
        return self._ownership.claims

    @property
    def zones(self) -> tuple[Zone, ...]:
        return self._ownership.zones

    @property
    def record(self) -> Record:
        return self._ownership.record

    @property
    def neighbours(self) -> tuple[Record, ...]:
        return tuple(neighbour.record for neighbour in self._ownership.table.known.values())

    @property
    def is_settled(self) -> bool:
        """Whether nothing is under way: no transfer, no multicast, no unacknowledged part of the replica."""
        ownership = self._ownership
        return not ownership.transfers.pending and not len(self._outgoing) and ownership.replica.is_acknowledged

    def serves(self, now: float) -> bool:
        """Whether this node may answer for its zones: nobody can have taken them over."""
        return self._ownership.serves(now)

    def owns(self, point: Point) -> bool:
        return any(point in zone for zone in self.zones)

    def replica_of(self, owner: str) -> tuple[bytes, ...]:
        """The parts of another node's replica that are kept here."""
        kept = self._ownership.replicas.kept.get(owner)
        return () if kept is None else tuple(kept.parts)

    # Joining and leaving

    def found(self, now: float) -> list[Effect]:
        """Found a space of one node."""
        self._ownership.found()
        return self._settled(now, [])

    def join(self, now: float, seeds: Sequence[str], point: Point | None = None) -> list[Effect]:
        """Ask at these addresses for a zone: near a point, or near a random one, or wherever more is stored."""
        return self._settled(now, self._ownership.join(now, seeds, point))

    def resume(self, now: float, claims: Sequence[Claim], neighbours: Sequence[Record]) -> list[Effect]:
        """Come back after a restart with what was saved. Where others have taken over, this node yields."""
        self._ownership.resume(now, claims, neighbours)
        return self._settled(now, [])

    def leave(self, now: float) -> list[Effect]:
        """Hand everything over to neighbours. Go on with ticks and messages until `stage` is LEFT."""
        return self._settled(now, self._ownership.leave(now))

    # Messages and time

    def receive(self, now: float, sender: str, message: Message) -> list[Effect]:
        """Handle a message from a node whose identity the transport has verified."""
        return self._settled(now, self._received(now, sender, message))

    def tick(self, now: float) -> list[Effect]:
        """Do what is due."""
        effects = self._ownership.tick(now)
        if self._ownership.is_in:
            for multicast in self._outgoing.due(now):
                effects += self._forward(now, multicast)
        self._handled.prune(now)
        return self._settled(now, effects)

    def multicast(self, now: float, multicast_id: str, bounds: Bounds, body: bytes) -> list[Effect]:
        """Send to every zone that the bounds touch, each once. `MulticastCompleted` follows. The id must be new."""
        if bounds.is_empty:
            return [MulticastCompleted(multicast_id)]
        self._outgoing.add(multicast_id, bounds, body)
        return self.tick(now)

    def replicate(self, now: float, contents: bytes, ticket: int) -> list[Effect]:
        """What was just stored, as `Contents.merge` would read it. Tickets are not negative."""
        return self._settled(now, self._ownership.replicate(now, contents, ticket))

    # Private

    def _settled(self, now: float, effects: list[Effect]) -> list[Effect]:
        return [*effects, *self._ownership.settle(now)]

    def _received(self, now: float, sender: str, message: Message) -> list[Effect]:
        ownership = self._ownership
        match message:
            case messages.Heartbeat():
                return ownership.beaten(now, sender, message)
            case messages.Multicast():
                return self._forward(now, message)
            case messages.Receipt():
                return self._receipted(message)
            case messages.Replica():
                return ownership.replica_received(now, sender, message)
            case messages.ReplicaAck():
                return ownership.replica_acknowledged(now, sender, message)
            case messages.ReplicaObsolete():
                ownership.replicas.drop_before(sender, message.generation)
                return []
            case messages.ReplicaWanted():
                return ownership.replica_wanted(sender, message)
            case messages.Join():
                return ownership.joining(now, message)
            case messages.Transfer():
                return ownership.transferred(now, sender, message)
            case messages.TransferAck() | messages.TransferRefused():
                return ownership.transfer_answered(now, sender, message)

    def _forward(self, now: float, multicast: Multicast) -> list[Effect]:
        """Handle a multicast where it is for us, and send it on its way where it is not."""
        if multicast.zone is not None:
            target = multicast.zone.intersection(multicast.part)
            return self._spread(now, multicast, [zone for zone in self.zones if zone.touches(target)])
        corner = multicast.part.lower
        if self.owns(corner):
            return self._spread(now, multicast, [zone for zone in self.zones if corner in zone])
        hop = self._ownership.next_hop(multicast.position, corner)
        if hop is None:
            return []
        return [Send(hop[1].address, replace(multicast, position=hop[0], hops=multicast.hops + 1))]

    def _spread(self, now: float, multicast: Multicast, zones: Iterable[Zone]) -> list[Effect]:
        """Handle a multicast in some of our zones and in those of our others that come after them in the tree."""
        effects: list[Effect] = []
        # Without a lease somebody else may own them; the origin repeats.
        waiting = list(zones) if self._ownership.serves(now) else []
        for zone in waiting:
            effects += self._handle(now, multicast, zone)
            if self._handled.first(now, multicast, zone):
                waiting += [own for own in self.zones if is_parent(zone, own, multicast.part)]
                effects += self._to_children(multicast, zone)
        return effects

    def _handle(self, now: float, multicast: Multicast, zone: Zone) -> list[Effect]:
        box = zone.intersection(multicast.bounds)
        new = self._handled.handle(now, multicast.id, box)
        receipt = Receipt(multicast.id, (box,))
        effects: list[Effect] = [MulticastReceived(multicast.id, multicast.origin, new, multicast.body)] if new else []
        if multicast.origin.id == self.id:
            return [*effects, *self._receipted(receipt)]
        return [*effects, Send(multicast.origin.address, receipt)]

    def _to_children(self, multicast: Multicast, zone: Zone) -> list[Effect]:
        return [
            Send(record.address, replace(multicast, zone=claim.zone, position=None, hops=multicast.hops + 1))
            for claim, record in self._ownership.table.claims()
            if is_parent(zone, claim.zone, multicast.part)
        ]

    def _receipted(self, receipt: Receipt) -> list[Effect]:
        return [MulticastCompleted(receipt.id)] if self._outgoing.receipted(receipt) else []
