"""Messages between super-peers.

There are two kinds of packets. A `LinkFrame` belongs to a link, which delivers each message once and in order
(`links`). A datagram stands alone: it may be lost or duplicated, and its sender retries.

The sender of a packet is known from the transport, which has verified the key at the other end; no message names it.
Every message has a tag; unknown tags are refused. `VERSION` changes when a message changes its meaning. Tags are part
of the wire format and of the metrics; some are older than the name of their class.
"""

from __future__ import annotations

from enum import IntEnum

from msgspec import Struct

VERSION = 1


class MemberStatus(IntEnum):
    """The status of a member. Within one incarnation a higher one wins."""

    ALIVE = 0
    LEFT = 1
    FAILED = 2


class Member(Struct, frozen=True, array_like=True):
    """A super-peer as the others know it.

    `incarnation` grows whenever the member itself changes its record; others only change the status within one.
    `claim` is the place in the cube that it was given. `start` is the head of its log when it joined: what it published
    before is not sent to the network.
    """

    id: str
    address: str
    incarnation: int = 1
    status: MemberStatus = MemberStatus.ALIVE
    claim: int = 0
    start: int = 0


class StandingQuery(Struct, frozen=True, array_like=True):
    """A subscription as it is sent. The key is derived from language and text, so equal queries have equal keys."""

    key: str
    language: str
    text: str


class Description(Struct, frozen=True, array_like=True):
    """What a peer advertises, in RDF (Turtle). The key is derived from the content."""

    key: str
    rdf: str


class Publication(Struct, frozen=True, array_like=True):
    """An event as it is sent: where it was published, at which position of that log, and by whom."""

    origin: str
    position: int
    event: str
    publisher: str
    time: str
    source: str | None
    nquads: bytes


# On a link, about membership


class MembershipChange(Struct, frozen=True, tag="changed", array_like=True):
    """Changed member records, broadcast over the dimensions above the one that it came in on."""

    members: tuple[Member, ...]
    dimension: int = -1
    hops: int = 0


class MembershipTable(Struct, frozen=True, tag="table", array_like=True):
    """The sender's whole table of members. `wants` asks for the receiver's table in return."""

    members: tuple[Member, ...]
    wants: bool


class Heartbeat(Struct, frozen=True, tag="beat", array_like=True):
    """A heartbeat, with a digest of the table of members."""

    digest: int


class Broadcast(Struct, frozen=True, tag="broadcast", array_like=True):
    """A message to every super-peer."""

    id: str
    body: bytes
    dimension: int
    hops: int


class RecentBroadcasts(Struct, frozen=True, tag="recent", array_like=True):
    """Broadcasts that the sender has seen recently; the receiver sends those that are missing."""

    ids: tuple[str, ...]


# On a link, from a super-peer to the one that it has chosen in a dimension


class Attach(Struct, frozen=True, tag="attach", array_like=True):
    """Begin an attachment: asks for what is advertised behind the receiver in this dimension."""

    dimension: int


class Detach(Struct, frozen=True, tag="detach", array_like=True):
    """End an attachment: the sender has another neighbour now."""

    dimension: int


class Subscribe(Struct, frozen=True, tag="subscribe", array_like=True):
    """Subscriptions to add, and then keys of those to remove.

    `recall` maps origins to positions: send again what matches and comes after them. None: no recall.
    """

    dimension: int
    added: tuple[StandingQuery, ...]
    removed: tuple[str, ...] = ()
    recall: dict[str, int] | None = None


# On a link, in return


class Advertise(Struct, frozen=True, tag="advertise", array_like=True):
    """Descriptions to add, and keys of those to remove, behind the sender. `is_first` begins the attachment."""

    dimension: int
    added: tuple[Description, ...]
    removed: tuple[str, ...] = ()
    is_first: bool = False


class Notify(Struct, frozen=True, tag="notify", array_like=True):
    """An event that matches a subscription which was sent over this link in this dimension."""

    dimension: int
    publication: Publication


class WatermarkUpdate(Struct, frozen=True, tag="tide", array_like=True):
    """Watermarks: up to these positions of these origins everything that matches was sent.

    `recalls` is how many recalls the sender has received. An empty update answers a recall: what was recalled follows.
    """

    dimension: int
    positions: dict[str, int]
    recalls: int


class Detached(Struct, frozen=True, tag="detached", array_like=True):
    """The sender does not know the attachment: attach again."""

    dimension: int


class Relayed(Struct, frozen=True, tag="relayed", array_like=True):
    """A message from one access point to another; `sessions` decodes it."""

    body: bytes


Message = (
    MembershipChange
    | MembershipTable
    | Heartbeat
    | Broadcast
    | RecentBroadcasts
    | Attach
    | Detach
    | Subscribe
    | Advertise
    | Notify
    | WatermarkUpdate
    | Detached
    | Relayed
)


class LinkFrame(Struct, frozen=True, tag="frame", array_like=True):
    """A packet of a link. `number` counts messages from 1 within a session; 0 carries none, only `ack`.

    `session` is the sender's, `known` is the receiver's as far as the sender knows it, else 0.
    """

    session: int
    known: int
    number: int
    ack: int
    message: Message | None = None


# Datagrams


class Join(Struct, frozen=True, tag="join", array_like=True):
    """A request to join. The receiver assigns the member's `claim`."""

    member: Member


class JoinAccepted(Struct, frozen=True, tag="welcome", array_like=True):
    """Answers a join: all members, the receiver among them, and the sender's watermarks."""

    members: tuple[Member, ...]
    watermarks: dict[str, int]


class Expelled(Struct, frozen=True, tag="outcast", array_like=True):
    """The receiver is no longer a member; these are. `strength`, the size of the network, decides who rejoins whom."""

    members: tuple[Member, ...]
    strength: int


class Alive(Struct, frozen=True, tag="alive", array_like=True):
    """The sender is alive, in a new incarnation."""

    member: Member


class Probe(Struct, frozen=True, tag="probe", array_like=True):
    """Asks whether a member is reachable; without a name, whether the receiver is."""

    about: str | None = None


class ProbeAnswer(Struct, frozen=True, tag="heard", array_like=True):
    """Answers a probe: that member is reachable; without a name, the sender is."""

    about: str | None = None


Datagram = Join | JoinAccepted | Expelled | Alive | Probe | ProbeAnswer
Packet = LinkFrame | Datagram
