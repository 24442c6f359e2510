"""What peers and their access points say to each other.

`Clear` words are those of the handshake; all others travel in envelopes (`envelopes`, which also has the version).
Whoever asks gives a number, `ask`, and finds it in the answer: `Done`, `Accepted`, `Located` and `Drained` say yes,
`Refused` says no. Everything that is asked may be asked again: the second time changes nothing.

A peer is named by its public identifier, an access point as the other super-peers name it. No word of an access point
has a secret in it.
"""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from triplewire.errors import SessionRefused
from triplewire.network.sessions.envelopes import Reason

Bytes32 = Annotated[bytes, Meta(min_length=32, max_length=32)]
Signature = Annotated[bytes, Meta(min_length=64, max_length=64)]
Identifier = Annotated[str, Meta(pattern=r"^tw-[a-z2-7]{32}$")]
Station = Annotated[str, Meta(pattern=r"^(tw|sp)-[a-z2-7]{32}$")]
Secret = Annotated[str, Meta(pattern=r"^tws_[0-9a-zA-Z_-]{43}$")]
Token = Annotated[str, Meta(pattern=r"^[0-9a-zA-Z_-]{1,64}$")]
Name = Annotated[str, Meta(min_length=1, max_length=200)]
Text = Annotated[str, Meta(max_length=1 << 20)]
Short = Annotated[str, Meta(max_length=2048)]
Position = Annotated[int, Meta(ge=0, le=(1 << 63) - 1)]
Tide = Annotated[dict[Station, Position], Meta(max_length=100_000)]


# The handshake


class Hello(Struct, frozen=True, tag="hello", array_like=True):
    """A peer begins: who it says it is, and a random number for the access point to sign."""

    public_key: Bytes32
    nonce: Bytes32


class Challenge(Struct, frozen=True, tag="challenge", array_like=True):
    """The access point proves its key, and gives a random number in turn."""

    public_key: Bytes32
    nonce: Bytes32
    signature: Signature


class Proof(Struct, frozen=True, tag="proof", array_like=True):
    """The peer proves its key and shows its private identifier. `address` is where others find it, if they do.

    `is_known` asks to be let in only if the access point knows the peer already; otherwise it is registered, for which
    an access point may want an `invitation`.
    """

    signature: Signature
    secret: Secret
    address: Short = ""
    is_known: bool = False
    invitation: Short = ""


class Refusal(Struct, frozen=True, tag="refusal", array_like=True):
    """Something was not of a session. It is for whoever lost theirs: begin again."""

    reason: Short
    wanted: Short
    found: Short


Clear = Hello | Challenge | Proof | Refusal


# What a peer says


class Present(Struct, frozen=True, tag="present", array_like=True):
    """Still here; the other end says it back."""


class Farewell(Struct, frozen=True, tag="farewell", array_like=True):
    """Going off-line, and coming back."""


class Register(Struct, frozen=True, tag="register", array_like=True):
    """What the peer will publish, as a registration message in RDF. It replaces the last one, and is to be repeated."""

    rdf: Text
    ask: int


class Withdraw(Struct, frozen=True, tag="withdraw", array_like=True):
    """The peer will publish nothing any more."""

    ask: int


class Subscribe(Struct, frozen=True, tag="subscribe", array_like=True):
    """Leave a standing query. `since` says how far each super-peer's events have been seen elsewhere already."""

    name: Name
    language: Short
    text: Text
    since: Tide | None
    ask: int


class Unsubscribe(Struct, frozen=True, tag="unsubscribe", array_like=True):
    """Forget a standing query."""

    name: Name
    ask: int


class Publish(Struct, frozen=True, tag="publish", array_like=True):
    """Events as N-Quads. The key makes sure that asking again publishes once."""

    key: Token
    nquads: bytes
    ask: int


class Received(Struct, frozen=True, tag="received", array_like=True):
    """Every notification of a subscription up to this position is safe with the peer.

    `flow` is that of the notifications: positions of another one mean something else.
    """

    name: Name
    flow: Position
    position: Position


class Locate(Struct, frozen=True, tag="locate", array_like=True):
    """Where is the owner of a resource, whose access point was this?"""

    owner: Identifier
    access_point: Station
    ask: int


class Request(Struct, frozen=True, tag="request", array_like=True):
    """A rendezvous with a resource: its owner is to upload it when it is back."""

    id: Token
    owner: Identifier
    access_point: Station
    location: Short
    ask: int


class Collect(Struct, frozen=True, tag="collect", array_like=True):
    """Send a rendezvous file."""

    id: Token
    ask: int


class Collected(Struct, frozen=True, tag="collected", array_like=True):
    """A rendezvous file is safe with the peer."""

    id: Token


class Upload(Struct, frozen=True, tag="upload", array_like=True):
    """A resource that was wanted; `problem` says why there is none."""

    requester: Identifier
    id: Token
    content: bytes
    problem: Short
    ask: int


class Migrate(Struct, frozen=True, tag="migrate", array_like=True):
    """The peer is at another access point now: send what is pending, to the end."""

    to: Station
    ask: int


class Moved(Struct, frozen=True, tag="moved", array_like=True):
    """Everything pending has come; forget the peer."""

    ask: int


Said = (
    Present
    | Farewell
    | Register
    | Withdraw
    | Subscribe
    | Unsubscribe
    | Publish
    | Received
    | Locate
    | Request
    | Collect
    | Collected
    | Upload
    | Migrate
    | Moved
)


# What an access point says


class Welcome(Struct, frozen=True, tag="welcome", array_like=True):
    """The session has begun: who this is among super-peers, and what stands here of the peer's.

    The peer registers what it publishes again before `registration_lasts` seconds are over.
    """

    access_point: str
    subscriptions: tuple[str, ...]
    registration_lasts: float
    file_bytes: int


class Done(Struct, frozen=True, tag="done", array_like=True):
    """It is so, and stays so."""

    ask: int


class Refused(Struct, frozen=True, tag="refused", array_like=True):
    """It was not done. `again`: it may be later, if it is asked again."""

    ask: int
    wanted: str
    found: str
    again: bool = False


class Receipt(Struct, frozen=True, array_like=True):
    """An event is on the disk, at this position."""

    event: str
    position: int


class Accepted(Struct, frozen=True, tag="accepted", array_like=True):
    """The events are on the disk."""

    ask: int
    receipts: tuple[Receipt, ...]


class Notification(Struct, frozen=True, tag="notification", array_like=True):
    """A match. Its identity is (name, event); who published it, and at which super-peer, leads to the resource.

    `position` is a place in the access point's outbox, `content` what the subscription asked for, as JSON.
    """

    name: str
    flow: int
    position: int
    event: str
    publisher: str
    origin: str
    content: bytes


class Missed(Struct, frozen=True, tag="missed", array_like=True):
    """Notifications after one position, up to another, were not kept. `until` is acknowledged as a notification is."""

    name: str
    flow: int
    after: int
    until: int


class Located(Struct, frozen=True, tag="located", array_like=True):
    """Where a peer is, if it is on-line and says so; and which its access point is now."""

    ask: int
    owner: str
    is_online: bool
    address: str
    access_point: str


class Wanted(Struct, frozen=True, tag="wanted", array_like=True):
    """Somebody wants this resource: upload it."""

    requester: str
    id: str
    location: str


class Ready(Struct, frozen=True, tag="ready", array_like=True):
    """A rendezvous notification: a file waits in the rendezvous directory."""

    id: str
    owner: str
    location: str
    size: int


class Resource(Struct, frozen=True, tag="resource", array_like=True):
    """A rendezvous file; `problem` says why there is none."""

    id: str
    owner: str
    location: str
    content: bytes
    problem: str = ""


class Drained(Struct, frozen=True, tag="drained", array_like=True):
    """Everything pending was sent and arrived. What these positions do not cover comes from the new access point."""

    ask: int
    tide: dict[str, int]


Told = (
    Present
    | Welcome
    | Done
    | Refused
    | Accepted
    | Notification
    | Missed
    | Located
    | Wanted
    | Ready
    | Resource
    | Drained
)

encode = msgspec.msgpack.Encoder().encode
_clear = msgspec.msgpack.Decoder(Clear)
_said = msgspec.msgpack.Decoder(Said)
_told = msgspec.msgpack.Decoder(Told)


def read_clear(body: bytes) -> Clear:
    """A word of the handshake, or `SessionRefused`."""
    try:
        word: Clear = _clear.decode(body)
    except (ValueError, RecursionError) as problem:
        raise SessionRefused(Reason.MALFORMED, "a word of the handshake", f"{problem}") from None
    return word


def read_said(body: bytes) -> Said:
    """A word of a peer, or `SessionRefused`."""
    try:
        word: Said = _said.decode(body)
    except (ValueError, RecursionError) as problem:
        raise SessionRefused(Reason.MALFORMED, "a word of a peer", f"{problem}") from None
    return word


def read_told(body: bytes) -> Told:
    """A word of an access point, or `SessionRefused`."""
    try:
        word: Told = _told.decode(body)
    except (ValueError, RecursionError) as problem:
        raise SessionRefused(Reason.MALFORMED, "a word of an access point", f"{problem}") from None
    return word
