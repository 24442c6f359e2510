"""What super-peers say to each other.

Two ways to say it. A `Frame` belongs to a link, which delivers each message once and in order (`links`). A datagram
stands alone: it may be lost or come twice, and whoever sent it tries again.

Who sent something is told by the transport, which knows the key at the other end; no message says it of itself.
Every message has a tag; whoever decodes one refuses what it does not know. `VERSION` changes when one changes meaning.
"""

from __future__ import annotations

from enum import IntEnum

from msgspec import Struct

VERSION = 1


class Status(IntEnum):
    """Where a member stands. A higher one counts more within the same incarnation."""

    ALIVE = 0
    LEFT = 1
    FAILED = 2


class Member(Struct, frozen=True, array_like=True):
    """A super-peer as the others know it.

    `incarnation` grows whenever the member itself says something new of itself; what others say of it counts within
    one. `claim` is the place in the cube that it was given. `start` is where its log stood when it joined: what it
    published before does not concern the network.
    """

    id: str
    address: str
    incarnation: int = 1
    status: Status = Status.ALIVE
    claim: int = 0
    start: int = 0


class Standing(Struct, frozen=True, array_like=True):
    """A subscription as it travels. The key is derived from language and text, so that equal ones are one."""

    key: str
    language: str
    text: str


class Description(Struct, frozen=True, array_like=True):
    """What a peer registered that it will publish, in RDF (Turtle). The key is derived from the content."""

    key: str
    rdf: str


class Publication(Struct, frozen=True, array_like=True):
    """An event as it travels: where it was published, at which position of that log, and by whom."""

    origin: str
    position: int
    event: str
    publisher: str
    time: str
    source: str | None
    nquads: bytes


# On a link, about membership


class Changed(Struct, frozen=True, tag="changed", array_like=True):
    """Something new about members, broadcast over the dimensions above the one that it came in on."""

    members: tuple[Member, ...]
    dimension: int = -1
    hops: int = 0


class Table(Struct, frozen=True, tag="table", array_like=True):
    """Everything that somebody knows of members. `wants` asks for the receiver's table in return."""

    members: tuple[Member, ...]
    wants: bool


class Beat(Struct, frozen=True, tag="beat", array_like=True):
    """A sign of life, with a digest of the table of members."""

    digest: int


class Broadcast(Struct, frozen=True, tag="broadcast", array_like=True):
    """A word to every super-peer."""

    id: str
    body: bytes
    dimension: int
    hops: int


class Recent(Struct, frozen=True, tag="recent", array_like=True):
    """Broadcasts that the sender has seen lately; the receiver sends those that are not among them."""

    ids: tuple[str, ...]


# On a link, from a super-peer to the one that it has chosen in a dimension


class Attach(Struct, frozen=True, tag="attach", array_like=True):
    """Begin: tell me what is advertised behind you in this dimension."""

    dimension: int


class Detach(Struct, frozen=True, tag="detach", array_like=True):
    """End: I have chosen somebody else."""

    dimension: int


class Subscribe(Struct, frozen=True, tag="subscribe", array_like=True):
    """Subscriptions that begin, and keys of those that end, in this order.

    `recall` names origins and positions: send again what matches and comes after them. None: nothing is recalled.
    """

    dimension: int
    added: tuple[Standing, ...]
    removed: tuple[str, ...] = ()
    recall: dict[str, int] | None = None


# On a link, in return


class Advertise(Struct, frozen=True, tag="advertise", array_like=True):
    """Descriptions that begin, and keys of those that end, behind the sender. `is_first` begins the attachment."""

    dimension: int
    added: tuple[Description, ...]
    removed: tuple[str, ...] = ()
    is_first: bool = False


class Notify(Struct, frozen=True, tag="notify", array_like=True):
    """An event that matches a subscription which came over this link in this dimension."""

    dimension: int
    publication: Publication


class Tide(Struct, frozen=True, tag="tide", array_like=True):
    """Up to these positions of these origins everything that matches was sent. `recalls` counts what was recalled.

    An empty one answers a recall: what was recalled comes after it.
    """

    dimension: int
    positions: dict[str, int]
    recalls: int


class Detached(Struct, frozen=True, tag="detached", array_like=True):
    """The sender no longer knows of the attachment: attach again."""

    dimension: int


class Relayed(Struct, frozen=True, tag="relayed", array_like=True):
    """A word from one access point to another; what it says is for `sessions` to read."""

    body: bytes


Message = (
    Changed
    | Table
    | Beat
    | Broadcast
    | Recent
    | Attach
    | Detach
    | Subscribe
    | Advertise
    | Notify
    | Tide
    | Detached
    | Relayed
)


class Frame(Struct, frozen=True, tag="frame", array_like=True):
    """A piece of a link: `number` counts messages from 1 within a session; 0 carries none, only `ack`.

    `session` is the sender's, `known` is the receiver's as the sender knows it, 0 as long as it does not.
    """

    session: int
    known: int
    number: int
    ack: int
    message: Message | None = None


# Datagrams


class Join(Struct, frozen=True, tag="join", array_like=True):
    """Let me in. `claim` of the member is for the receiver to give."""

    member: Member


class Welcome(Struct, frozen=True, tag="welcome", array_like=True):
    """You are in: everybody, yourself among them, and how far the sender has heard each."""

    members: tuple[Member, ...]
    heard: dict[str, int]


class Outcast(Struct, frozen=True, tag="outcast", array_like=True):
    """You are none of us any more; this is who we are. `strength` decides who joins whom again."""

    members: tuple[Member, ...]
    strength: int


class Alive(Struct, frozen=True, tag="alive", array_like=True):
    """I am still one of you, in a new incarnation."""

    member: Member


class Probe(Struct, frozen=True, tag="probe", array_like=True):
    """Do you hear from this member? With nobody named: do you hear me?"""

    about: str | None = None


class Heard(Struct, frozen=True, tag="heard", array_like=True):
    """The answer: it is alive. With nobody named: I hear you."""

    about: str | None = None


Datagram = Join | Welcome | Outcast | Alive | Probe | Heard
Wire = Frame | Datagram
