"""Messages between the nodes of a space.

All are datagrams: they may be lost, repeated and reordered, and whoever needs an answer repeats. The sender of a
message is known from the transport, which has verified the key at the other end. Every message has a tag; unknown tags
are refused, and so are numbers and names that no node has. `VERSION` changes when a message changes its meaning; it is
the space's own.
"""

from __future__ import annotations

from typing import Annotated, TypeAlias

from msgspec import Meta, Struct

from triplewire.network.can.geometry.space import Bounds, Point, Zone

VERSION = 2

Count: TypeAlias = Annotated[int, Meta(ge=0, le=1 << 53)]
Seconds: TypeAlias = Annotated[float, Meta(ge=0.0, le=1e9)]
Name: TypeAlias = Annotated[str, Meta(max_length=1_024)]


class Address(Struct, frozen=True, array_like=True):
    """A node's identifier and where to reach it."""

    id: Name
    address: Name


class Claim(Struct, frozen=True, array_like=True):
    """A zone that a node owns. Where two claims overlap, the higher epoch wins (`claims.rank`)."""

    zone: Zone
    epoch: Count


class Record(Struct, frozen=True, array_like=True):
    """A node as others know it. Only the node itself changes its record, and `version` grows when it does.

    `incarnation` grows with every start of the node's process. `holder` has all of this `generation` of its replica.
    `load` is how much it stores; it changes without a new version.
    """

    id: Name
    address: Name
    incarnation: Count = 1
    version: Count = 0
    claims: tuple[Claim, ...] = ()
    holder: Name | None = None
    generation: tuple[Count, Count] = (0, 0)
    load: Count = 0
    is_leaving: bool = False

    @property
    def age(self) -> tuple[int, int]:
        """Of two records of one node, the greater is the newer."""
        return self.incarnation, self.version


class Join(Struct, frozen=True, tag="join", array_like=True):
    """A newcomer wants a zone: first led to the owner of a point, then from there to more loaded nodes.

    `nonce` comes back with the transfer: only those whom the request was led to know it. `position` is the zone that it
    has come to on its way to the point. `visited` are the nodes on the way after that.
    """

    newcomer: Address
    nonce: Name
    point: Point | None
    position: Zone | None = None
    visited: tuple[Name, ...] = ()


class Transfer(Struct, frozen=True, tag="transfer", array_like=True):
    """A part of what is stored in zones that the receiver is to own; each is repeated until `TransferAck`.

    Part 0 and the last one have the claims, the records of the sender and of those that adjoin the zones as far as it
    knows, the `nonce` of a newcomer, and for how long nobody has failed. With the last one the receiver owns the zones.
    """

    id: Name
    part: Count
    contents: bytes = b""
    claims: tuple[Claim, ...] = ()
    neighbours: tuple[Record, ...] = ()
    nonce: Name = ""
    calm_for: Seconds = 0.0
    is_last: bool = False


class TransferAck(Struct, frozen=True, tag="transfer-ack", array_like=True):
    """The sender has all parts up to this one; if it is the last, it owns the zones, and has a replica of them."""

    id: Name
    part: Count


class TransferRefused(Struct, frozen=True, tag="transfer-refused", array_like=True):
    """The sender does not take what was transferred: it is leaving, or the giver is not known to own it."""

    id: Name


class Sighting(Struct, frozen=True, array_like=True):
    """Which record of a node the sender has, and how much the node stores."""

    id: Name
    address: Name
    incarnation: Count
    version: Count
    load: Count = 0


class Heartbeat(Struct, frozen=True, tag="heartbeat", array_like=True):
    """The sender's record; who was heard from recently; some others that it knows; and records that have just changed.

    `yours` is the age of the receiver's record at the sender. `calm_for` is for how long nobody has failed or come
    back, as far as the sender knows. `is_reply` is never answered.
    """

    record: Record
    heard: tuple[Sighting, ...] = ()
    others: tuple[Sighting, ...] = ()
    records: tuple[Record, ...] = ()
    yours: tuple[Count, Count] | None = None
    calm_for: Seconds = 0.0
    is_reply: bool = False


class RecordsWanted(Struct, frozen=True, tag="records-wanted", array_like=True):
    """The sender has older records of these nodes, or none. `Records` answers."""

    ids: tuple[Name, ...]


class Records(Struct, frozen=True, tag="records", array_like=True):
    """Records as the sender has them."""

    records: tuple[Record, ...]


class Replica(Struct, frozen=True, tag="replica", array_like=True):
    """A part of the sender's replica. The parts of a generation up to the one that `is_complete` are all it stores.

    `record` and `boxes`, where a part has them, are the sender's at that point: what is to be found in the replica.
    """

    generation: tuple[Count, Count]
    part: Count
    contents: bytes = b""
    record: Record | None = None
    boxes: tuple[Zone, ...] | None = None
    neighbours: tuple[Record, ...] = ()
    is_complete: bool = False


class ReplicaAck(Struct, frozen=True, tag="replica-ack", array_like=True):
    """The sender keeps all parts of this generation up to this one; -1 if it has none."""

    generation: tuple[Count, Count]
    part: int


class ReplicaObsolete(Struct, frozen=True, tag="replica-obsolete", array_like=True):
    """This generation of the sender's replica is complete elsewhere: earlier ones need not be kept."""

    generation: tuple[Count, Count]


class ReplicaKept(Struct, frozen=True, tag="replica-kept", array_like=True):
    """The sender keeps this generation of the receiver's replica, and has not heard of it for a while."""

    generation: tuple[Count, Count]


class Cast(Struct, frozen=True, tag="cast", array_like=True):
    """A message to the owners of points and boxes; without any, to the receiver itself.

    The receiver handles what it owns and sends the rest on. On the way to points, `position` is the zone that the
    message has come to.
    """

    id: Name
    origin: Address
    body: bytes
    points: tuple[Point, ...] = ()
    boxes: tuple[Bounds, ...] = ()
    position: Zone | None = None


class Multicast(Struct, frozen=True, tag="multicast", array_like=True):
    """A message to every zone that bounds touch, where not all of their owners are known.

    `part` is what this attempt is for: all of the bounds at first, later what nobody has receipted. On the way to the
    lower corner of the part, `position` is the zone that the message has come to. From there it goes from zone to zone
    of the part, and `zone` is the one that it is for, which handles all that it has of the bounds.
    """

    id: Name
    attempt: Count
    origin: Address
    bounds: Bounds
    part: Bounds
    body: bytes
    position: Zone | None = None
    zone: Zone | None = None


class Receipt(Struct, frozen=True, array_like=True):
    """A message has been handled for these points and boxes; without any, by the node that it was for."""

    id: Name
    points: tuple[Point, ...] = ()
    boxes: tuple[Bounds, ...] = ()


class Receipts(Struct, frozen=True, tag="receipts", array_like=True):
    """To the origin of messages: the sender has handled them, durably. `zones` are those that it owns."""

    sender: Address
    zones: tuple[Zone, ...]
    receipts: tuple[Receipt, ...]


OwnershipMessage = (
    Join
    | Transfer
    | TransferAck
    | TransferRefused
    | Heartbeat
    | RecordsWanted
    | Records
    | Replica
    | ReplicaAck
    | ReplicaObsolete
    | ReplicaKept
)
Message = OwnershipMessage | Cast | Multicast | Receipts
