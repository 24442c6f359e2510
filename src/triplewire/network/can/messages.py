"""Messages between the nodes of a space.

All are datagrams: they may be lost, repeated and reordered, and whoever needs an answer repeats. The sender of a
message is known from the transport, which has verified the key at the other end. Every message has a tag; unknown tags
are refused. `VERSION` changes when a message changes its meaning; it is the space's own.
"""

from __future__ import annotations

from msgspec import Struct

from triplewire.network.can.space import Bounds, Point, Zone

VERSION = 1


class Address(Struct, frozen=True, array_like=True):
    """A node's identifier and where to reach it."""

    id: str
    address: str


class Claim(Struct, frozen=True, array_like=True):
    """A zone that a node owns. Where two claims overlap, the higher epoch wins (`claims.rank`)."""

    zone: Zone
    epoch: int


class Record(Struct, frozen=True, array_like=True):
    """A node as others know it. Only the node itself changes its record, and `version` grows when it does.

    `incarnation` grows with every start of the node's process. `holder` has its replica. `load` is how much it stores.
    `is_returned` while it may not know what happened: it was stopped, or heard from nobody.
    """

    id: str
    address: str
    incarnation: int = 1
    version: int = 0
    claims: tuple[Claim, ...] = ()
    holder: str | None = None
    load: int = 0
    is_returned: bool = False

    @property
    def age(self) -> tuple[int, int]:
        """Of two records of one node, the greater is the newer."""
        return self.incarnation, self.version


class Join(Struct, frozen=True, tag="join", array_like=True):
    """A newcomer wants a zone: first led to the owner of a point, then from there to more loaded nodes.

    `position` is the zone that it has come to on its way to the point. `visited` are the nodes on the way after that.
    """

    newcomer: Address
    point: Point | None
    position: Zone | None = None
    visited: tuple[str, ...] = ()


class Transfer(Struct, frozen=True, tag="transfer", array_like=True):
    """Zones for the receiver to own from now on, with their contents; repeated until `TransferAck`.

    `neighbours` are the sender and those that adjoin the zones as far as it knows. `handled` are the multicasts that
    were handled in the zones before.
    """

    id: str
    claims: tuple[Claim, ...]
    neighbours: tuple[Record, ...]
    contents: bytes
    handled: tuple[tuple[str, tuple[Bounds, ...]], ...] = ()


class TransferAck(Struct, frozen=True, tag="transfer-ack", array_like=True):
    """The sender owns what was transferred."""

    id: str


class TransferRefused(Struct, frozen=True, tag="transfer-refused", array_like=True):
    """The sender does not take what was transferred: it is leaving, or the giver is not known to own it."""

    id: str


class Heartbeat(Struct, frozen=True, tag="heartbeat", array_like=True):
    """The sender's record, and those of the neighbours that it has heard from recently.

    `sent_at` is the sender's clock. `echo` is the latest `sent_at` that the sender has from the receiver: until some
    time after that the sender does not take over the receiver's zones, whatever happens. `is_reply` is never answered.
    """

    record: Record
    neighbours: tuple[Record, ...]
    sent_at: float
    echo: float | None = None
    is_reply: bool = False


class Replica(Struct, frozen=True, tag="replica", array_like=True):
    """A part of the sender's replica. Part 0 begins a generation: all claims, and all contents so far."""

    generation: tuple[int, int]
    part: int
    claims: tuple[Claim, ...]
    neighbours: tuple[Record, ...]
    contents: bytes


class ReplicaAck(Struct, frozen=True, tag="replica-ack", array_like=True):
    """The sender keeps all parts of this generation up to this one."""

    generation: tuple[int, int]
    part: int


class ReplicaObsolete(Struct, frozen=True, tag="replica-obsolete", array_like=True):
    """Another holder has this generation of the sender's replica: earlier ones need not be kept."""

    generation: tuple[int, int]


class ReplicaWanted(Struct, frozen=True, tag="replica-wanted", array_like=True):
    """The sender has taken over from this owner without its replica, which the receiver was the holder of."""

    owner: str


class Multicast(Struct, frozen=True, tag="multicast", array_like=True):
    """A message to every zone that bounds touch.

    `part` is what this attempt is for: all of the bounds at first, later what nobody has receipted. On the way to the
    lower corner of the part, `position` is the zone that the message has come to. From there it goes from zone to zone
    of the part, and `zone` is the one that it is for, which handles all that it has of the bounds.
    """

    id: str
    attempt: int
    origin: Address
    bounds: Bounds
    part: Bounds
    body: bytes
    position: Zone | None = None
    zone: Zone | None = None
    hops: int = 0


class Receipt(Struct, frozen=True, tag="receipt", array_like=True):
    """To the origin of a multicast: the sender has handled it in these boxes."""

    id: str
    boxes: tuple[Bounds, ...]


Message = (
    Join
    | Transfer
    | TransferAck
    | TransferRefused
    | Heartbeat
    | Replica
    | ReplicaAck
    | ReplicaObsolete
    | ReplicaWanted
    | Multicast
    | Receipt
)
