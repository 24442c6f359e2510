"""Messages between peers and their access points.

Messages of the handshake are clear; all others are sent in envelopes (`envelopes`, which also has the version). A
request has a number, `request_id`, which its answer repeats: `Done`, `EventsAccepted`, `Located`, `Drained` and
`RuleAnswer` are successes, `RequestRefused` is a failure. Every request is idempotent. Tags are part of the wire
format; some are older than the name of their class.

A peer is named by its public identifier, an access point by its super-peer's identifier. No message of an access point
has a secret in it.
"""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from triplewire.errors import SessionRefused
from triplewire.network.sessions.envelopes import Reason
from triplewire.network.sessions.rule_data import RuleData

Bytes32 = Annotated[bytes, Meta(min_length=32, max_length=32)]
Signature = Annotated[bytes, Meta(min_length=64, max_length=64)]
PeerId = Annotated[str, Meta(pattern=r"^tw-[a-z2-7]{32}$")]
AccessPointId = Annotated[str, Meta(pattern=r"^(tw|sp)-[a-z2-7]{32}$")]
Secret = Annotated[str, Meta(pattern=r"^tws_[0-9a-zA-Z_-]{43}$")]
Token = Annotated[str, Meta(pattern=r"^[0-9a-zA-Z_-]{1,64}$")]
Name = Annotated[str, Meta(min_length=1, max_length=200)]
Text = Annotated[str, Meta(max_length=1 << 20)]
Short = Annotated[str, Meta(max_length=2048)]
Position = Annotated[int, Meta(ge=0, le=(1 << 63) - 1)]
WatermarkMap = Annotated[dict[AccessPointId, Position], Meta(max_length=100_000)]


# The handshake


class Hello(Struct, frozen=True, tag="hello", array_like=True):
    """A peer begins: its public key, and a random number for the access point to sign."""

    public_key: Bytes32
    nonce: Bytes32


class Challenge(Struct, frozen=True, tag="challenge", array_like=True):
    """The access point proves its key, and gives a random number in turn."""

    public_key: Bytes32
    nonce: Bytes32
    signature: Signature


class Proof(Struct, frozen=True, tag="proof", array_like=True):
    """The peer proves its key and sends its private identifier. `address` is where others reach it, if they can.

    With `is_known` the session begins only if the peer is registered already; otherwise it is registered, for which an
    access point may require an `invitation`.
    """

    signature: Signature
    secret: Secret
    address: Short = ""
    is_known: bool = False
    invitation: Short = ""


class Refusal(Struct, frozen=True, tag="refusal", array_like=True):
    """A message did not belong to a session. A peer that lost its session begins again."""

    reason: Short
    wanted: Short
    found: Short


HandshakeMessage = Hello | Challenge | Proof | Refusal


# From a peer


class KeepAlive(Struct, frozen=True, tag="present", array_like=True):
    """A keep-alive; the other end echoes it."""


class Goodbye(Struct, frozen=True, tag="farewell", array_like=True):
    """The peer goes off-line, and stays registered."""


class Register(Struct, frozen=True, tag="register", array_like=True):
    """What the peer will publish, as a registration message in RDF. It replaces the last one, and expires."""

    rdf: Text
    request_id: int


class Withdraw(Struct, frozen=True, tag="withdraw", array_like=True):
    """Withdraw the registration."""

    request_id: int


class Subscribe(Struct, frozen=True, tag="subscribe", array_like=True):
    """Add a subscription. `since` are the watermarks up to which its events were received elsewhere."""

    name: Name
    language: Short
    text: Text
    since: WatermarkMap | None
    request_id: int


class Unsubscribe(Struct, frozen=True, tag="unsubscribe", array_like=True):
    """Remove a subscription."""

    name: Name
    request_id: int


class Publish(Struct, frozen=True, tag="publish", array_like=True):
    """Events as N-Quads. With the same key a repeat publishes once."""

    key: Token
    nquads: bytes
    request_id: int


class NotificationAck(Struct, frozen=True, tag="received", array_like=True):
    """Acknowledges every notification of a subscription up to this position.

    `flow` is that of the notifications: positions of another flow do not count.
    """

    name: Name
    flow: Position
    position: Position


class Locate(Struct, frozen=True, tag="locate", array_like=True):
    """Asks for the location of the owner of a resource, whose access point was this."""

    owner: PeerId
    access_point: AccessPointId
    request_id: int


class RequestRendezvous(Struct, frozen=True, tag="request", array_like=True):
    """A rendezvous with a resource: its owner uploads it when it is on-line."""

    id: Token
    owner: PeerId
    access_point: AccessPointId
    location: Short
    request_id: int


class Collect(Struct, frozen=True, tag="collect", array_like=True):
    """Send a rendezvous file."""

    id: Token
    request_id: int


class Collected(Struct, frozen=True, tag="collected", array_like=True):
    """Acknowledges a rendezvous file."""

    id: Token


class Upload(Struct, frozen=True, tag="upload", array_like=True):
    """A requested resource; `problem` says why it has no content."""

    requester: PeerId
    id: Token
    content: bytes
    problem: Short
    request_id: int


class Migrate(Struct, frozen=True, tag="migrate", array_like=True):
    """The peer has moved to another access point: send everything that is pending."""

    to: AccessPointId
    request_id: int


class Moved(Struct, frozen=True, tag="moved", array_like=True):
    """Everything pending has arrived: forget the peer."""

    request_id: int


class RuleRequest(Struct, frozen=True, tag="rule request", array_like=True):
    """Asks the access point's super-peer something about rules. With the same key a repeat is done once."""

    key: Token
    body: Annotated[bytes, Meta(max_length=1 << 20)]
    request_id: int


PeerMessage = (
    KeepAlive
    | Goodbye
    | Register
    | Withdraw
    | Subscribe
    | Unsubscribe
    | Publish
    | NotificationAck
    | Locate
    | RequestRendezvous
    | Collect
    | Collected
    | Upload
    | Migrate
    | Moved
    | RuleData
    | RuleRequest
)


# From an access point


class Welcome(Struct, frozen=True, tag="welcome", array_like=True):
    """The session has begun: the access point's super-peer identifier, and the peer's subscriptions here.

    The peer repeats its registration before `registration_lasts` seconds are over.
    """

    access_point: str
    subscriptions: tuple[str, ...]
    registration_lasts: float
    file_bytes: int


class Done(Struct, frozen=True, tag="done", array_like=True):
    """The request is done, and durable."""

    request_id: int


class RequestRefused(Struct, frozen=True, tag="refused", array_like=True):
    """The request was refused. `again`: a later try may succeed."""

    request_id: int
    wanted: str
    found: str
    again: bool = False


class Receipt(Struct, frozen=True, array_like=True):
    """An event is on disk, at this position."""

    event: str
    position: int


class EventsAccepted(Struct, frozen=True, tag="accepted", array_like=True):
    """The events are on disk."""

    request_id: int
    receipts: tuple[Receipt, ...]


class Notification(Struct, frozen=True, tag="notification", array_like=True):
    """A match. Its identity is (name, event); publisher and origin lead to the resource.

    `position` is the position in the access point's outbox, `content` what the subscription asked for, as JSON.
    """

    name: str
    flow: int
    position: int
    event: str
    publisher: str
    origin: str
    content: bytes


class Missed(Struct, frozen=True, tag="missed", array_like=True):
    """Notifications after one position, up to another, are lost to retention. `until` is acknowledged like one."""

    name: str
    flow: int
    after: int
    until: int


class Located(Struct, frozen=True, tag="located", array_like=True):
    """The location of a peer, if it is on-line and has an address; and its present access point."""

    request_id: int
    owner: str
    is_online: bool
    address: str
    access_point: str


class UploadRequested(Struct, frozen=True, tag="wanted", array_like=True):
    """Another peer requests this resource: upload it."""

    requester: str
    id: str
    location: str


class Ready(Struct, frozen=True, tag="ready", array_like=True):
    """A rendezvous notification: a file is in the rendezvous directory."""

    id: str
    owner: str
    location: str
    size: int


class Resource(Struct, frozen=True, tag="resource", array_like=True):
    """A rendezvous file; `problem` says why it has no content."""

    id: str
    owner: str
    location: str
    content: bytes
    problem: str = ""


class Drained(Struct, frozen=True, tag="drained", array_like=True):
    """Everything pending was sent and acknowledged. What follows these watermarks comes from the new access point."""

    request_id: int
    watermarks: dict[str, int]


class RuleAnswer(Struct, frozen=True, tag="rule answer", array_like=True):
    """What the super-peer says to a request about rules."""

    request_id: int
    body: bytes


class RuleDataRefused(Struct, frozen=True, tag="rules refused", array_like=True):
    """A body about rules was not taken, and will not be."""

    wanted: str
    found: str


AccessPointMessage = (
    KeepAlive
    | Welcome
    | Done
    | RequestRefused
    | EventsAccepted
    | Notification
    | Missed
    | Located
    | UploadRequested
    | Ready
    | Resource
    | Drained
    | RuleData
    | RuleAnswer
    | RuleDataRefused
)

encode = msgspec.msgpack.Encoder().encode
_handshake_message = msgspec.msgpack.Decoder(HandshakeMessage)
_peer_message = msgspec.msgpack.Decoder(PeerMessage)
_access_point_message = msgspec.msgpack.Decoder(AccessPointMessage)


def decode_handshake_message(body: bytes) -> HandshakeMessage:
    """A message of the handshake, or `SessionRefused`."""
    try:
        message: HandshakeMessage = _handshake_message.decode(body)
    except (ValueError, RecursionError) as problem:
        raise SessionRefused(Reason.MALFORMED, "a message of the handshake", f"{problem}") from None
    return message


def decode_peer_message(body: bytes) -> PeerMessage:
    """A message of a peer, or `SessionRefused`."""
    try:
        message: PeerMessage = _peer_message.decode(body)
    except (ValueError, RecursionError) as problem:
        raise SessionRefused(Reason.MALFORMED, "a message of a peer", f"{problem}") from None
    return message


def decode_access_point_message(body: bytes) -> AccessPointMessage:
    """A message of an access point, or `SessionRefused`."""
    try:
        message: AccessPointMessage = _access_point_message.decode(body)
    except (ValueError, RecursionError) as problem:
        raise SessionRefused(Reason.MALFORMED, "a message of an access point", f"{problem}") from None
    return message
