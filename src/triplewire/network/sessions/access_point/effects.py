"""Effects of an access point, and their outcomes.

The shell does the effects about one peer in order. Those with a ticket are answered with
`AccessPoint.done(now, ticket, outcome)` when they are done and on disk; the others are not.
"""

from __future__ import annotations

from msgspec import Struct

from triplewire.network.sessions.access_point.records import (
    PeerRecord,
    PendingUpload,
    Pointer,
    RendezvousFile,
    RendezvousRequest,
)
from triplewire.network.sessions.peer_messages import Receipt

# Sending


class SendToPeer(Struct, frozen=True):
    """Send bytes over a connection with a peer."""

    connection: str
    data: bytes


class SendToAccessPoint(Struct, frozen=True):
    """Send a message to another access point, by its identifier: `SuperPeer.relay`."""

    to: str
    body: bytes


# About a peer in the store


class KeepPeer(Struct, frozen=True):
    """Save the record of a peer, and remove its pointer."""

    ticket: int
    record: PeerRecord


class ForgetPeer(Struct, frozen=True):
    """Forget a peer with its subscriptions, notifications, advertisement, requests, pending uploads and files.

    The indices change now. `pointer` is saved if the peer has moved.
    """

    ticket: int
    peer: str
    pointer: Pointer | None = None


class ForgetPointer(Struct, frozen=True):
    """Remove the pointer of a peer that has moved."""

    peer: str


class AddSubscription(Struct, frozen=True):
    """Add a subscription of a peer; the same under the same name changes nothing.

    `since` are watermarks: events of these super-peers after these positions count too, whenever the subscription
    began. Repeats are allowed, gaps are not.
    """

    ticket: int
    peer: str
    name: str
    language: str
    text: str
    since: dict[str, int] | None


class RemoveSubscription(Struct, frozen=True):
    """Remove a subscription and its notifications."""

    ticket: int
    peer: str
    name: str


class StoreEvents(Struct, frozen=True):
    """Publish; the outcome is `Stored`. The same key again gives the same outcome."""

    ticket: int
    peer: str
    key: str
    nquads: bytes


class PutAdvertisement(Struct, frozen=True):
    """Put a registration message into the indices, in place of the peer's last one."""

    ticket: int
    peer: str
    rdf: str


class RemoveAdvertisement(Struct, frozen=True):
    """Take a peer's advertisement out of the indices."""

    peer: str


# Notifications


class Watch(Struct, frozen=True):
    """A session has begun: from now on call `AccessPoint.notifications_available` for the peer's subscriptions."""

    peer: str


class Unwatch(Struct, frozen=True):
    """A session has ended: stop watching."""

    peer: str


class ReadPending(Struct, frozen=True):
    """Read notifications after a position, or after the cursor; the outcome is `NotificationPage`. Does not wait."""

    ticket: int
    peer: str
    name: str
    after: int | None
    limit: int


class Acknowledge(Struct, frozen=True):
    """Move the cursor."""

    peer: str
    name: str
    position: int


class ReadWatermarks(Struct, frozen=True):
    """Read the watermarks of all origins, this one's own log included; the outcome is `WatermarksRead`.

    What matches up to there must be in the outbox by then.
    """

    ticket: int
    peer: str


# Rules


class RulesReceived(Struct, frozen=True):
    """A peer has sent a body about rules. `Watch` and `Unwatch` say when its sessions begin and end."""

    peer: str
    body: bytes


class AnswerRuleRequest(Struct, frozen=True):
    """Answer a request about rules; the outcome is `RuleRequestAnswered`. The same key again gives the same outcome."""

    ticket: int
    peer: str
    key: str
    body: bytes


# Rendezvous


class KeepRequest(Struct, frozen=True):
    ticket: int
    request: RendezvousRequest


class ForgetRequest(Struct, frozen=True):
    requester: str
    id: str


class KeepPendingUpload(Struct, frozen=True):
    ticket: int
    pending_upload: PendingUpload


class ForgetPendingUpload(Struct, frozen=True):
    owner: str
    requester: str
    id: str


class KeepFile(Struct, frozen=True):
    """Save a rendezvous file, and remove the request for it."""

    ticket: int
    file: RendezvousFile
    content: bytes


class ReadFile(Struct, frozen=True):
    """Read a rendezvous file; the outcome is `Content`."""

    ticket: int
    requester: str
    id: str


class ForgetFile(Struct, frozen=True):
    requester: str
    id: str


Effect = (
    SendToPeer
    | SendToAccessPoint
    | KeepPeer
    | ForgetPeer
    | ForgetPointer
    | AddSubscription
    | RemoveSubscription
    | StoreEvents
    | PutAdvertisement
    | RemoveAdvertisement
    | Watch
    | Unwatch
    | ReadPending
    | Acknowledge
    | ReadWatermarks
    | KeepRequest
    | ForgetRequest
    | KeepPendingUpload
    | ForgetPendingUpload
    | KeepFile
    | ReadFile
    | ForgetFile
    | RulesReceived
    | AnswerRuleRequest
)


# Outcomes


class Ok(Struct, frozen=True):
    """The effect is done."""


class Failed(Struct, frozen=True):
    """The effect failed. `again`: a later try may succeed."""

    wanted: str
    found: str
    again: bool = False


class Stored(Struct, frozen=True):
    receipts: tuple[Receipt, ...]


class PendingNotification(Struct, frozen=True):
    """A notification in the outbox."""

    position: int
    event: str
    publisher: str
    origin: str
    content: bytes


class NotificationPage(Struct, frozen=True):
    """Notifications after a position. `has_more`: there is more after this.

    `gap`: everything up to there was removed before it was read, and none of these is before it.
    """

    notifications: tuple[PendingNotification, ...]
    has_more: bool
    gap: int | None = None
    after: int = 0


class WatermarksRead(Struct, frozen=True):
    watermarks: dict[str, int]


class Content(Struct, frozen=True):
    content: bytes


class RuleRequestAnswered(Struct, frozen=True):
    body: bytes


Outcome = Ok | Failed | Stored | NotificationPage | WatermarksRead | Content | RuleRequestAnswered
OK = Ok()
