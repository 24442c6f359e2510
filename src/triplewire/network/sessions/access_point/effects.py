"""What an access point wants done, and how it is told of the outcome.

The shell does the effects about one peer in the order in which they came. Those with a ticket are answered with
`AccessPoint.done(now, ticket, outcome)` when they are done and on disk; the others are not waited for.
"""

from __future__ import annotations

from msgspec import Struct

from triplewire.network.sessions.access_point.records import Agreement, PeerRecord, Pointer, RendezvousFile, Wish
from triplewire.network.sessions.peer_messages import Receipt

# Sending


class Tell(Struct, frozen=True):
    """Send this over a connection with a peer."""

    connection: str
    data: bytes


class Pass(Struct, frozen=True):
    """Send this to another access point, by its identifier: `SuperPeer.relay`."""

    to: str
    body: bytes


# About a peer in the store


class KeepPeer(Struct, frozen=True):
    """Keep a record, in place of what there is. A pointer that says that the peer moved is gone."""

    ticket: int
    record: PeerRecord


class ForgetPeer(Struct, frozen=True):
    """Forget a peer with its subscriptions, notifications, advertisement, wishes, agreements and files.

    The indices change now. `pointer` is kept where the peer has moved.
    """

    ticket: int
    peer: str
    pointer: Pointer | None = None


class ForgetPointer(Struct, frozen=True):
    """Forget where a peer has moved."""

    peer: str


class AddSubscription(Struct, frozen=True):
    """Leave a standing query for a peer; the same under the same name changes nothing.

    `since`: events of these super-peers after these positions count too, whenever the subscription began. Send again
    what may have been sent already, rather than too little.
    """

    ticket: int
    peer: str
    name: str
    language: str
    text: str
    since: dict[str, int] | None


class RemoveSubscription(Struct, frozen=True):
    """Forget a standing query and its notifications."""

    ticket: int
    peer: str
    name: str


class StoreEvents(Struct, frozen=True):
    """Publish; the outcome is `Stored`. The same key again gives the same outcome."""

    ticket: int
    peer: str
    key: str
    nquads: bytes


class Advertise(Struct, frozen=True):
    """Put a registration message into the indices, in place of the peer's last one."""

    ticket: int
    peer: str
    rdf: str


class Unadvertise(Struct, frozen=True):
    """Take a peer's advertisement out of the indices."""

    peer: str


# Notifications


class Watch(Struct, frozen=True):
    """From now on call `AccessPoint.noticed` when there is something new for one of the peer's subscriptions."""

    peer: str


class Unwatch(Struct, frozen=True):
    """No longer."""

    peer: str


class ReadPending(Struct, frozen=True):
    """Read notifications after a position, or after the cursor; the outcome is `Page`. Never wait for more."""

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


class ReadTide(Struct, frozen=True):
    """How far every super-peer has been heard, this one's own log included; the outcome is `Heard`.

    What matches up to there must be in the outbox by then.
    """

    ticket: int
    peer: str


# Rendezvous


class KeepWish(Struct, frozen=True):
    ticket: int
    wish: Wish


class ForgetWish(Struct, frozen=True):
    requester: str
    id: str


class KeepAgreement(Struct, frozen=True):
    ticket: int
    agreement: Agreement


class ForgetAgreement(Struct, frozen=True):
    owner: str
    requester: str
    id: str


class KeepFile(Struct, frozen=True):
    """Keep a rendezvous file; the wish for it is fulfilled and forgotten."""

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
    Tell
    | Pass
    | KeepPeer
    | ForgetPeer
    | ForgetPointer
    | AddSubscription
    | RemoveSubscription
    | StoreEvents
    | Advertise
    | Unadvertise
    | Watch
    | Unwatch
    | ReadPending
    | Acknowledge
    | ReadTide
    | KeepWish
    | ForgetWish
    | KeepAgreement
    | ForgetAgreement
    | KeepFile
    | ReadFile
    | ForgetFile
)


# Outcomes


class Fine(Struct, frozen=True):
    """It is done."""


class Failed(Struct, frozen=True):
    """It could not be done. `again`: it may be later."""

    wanted: str
    found: str
    again: bool = False


class Stored(Struct, frozen=True):
    receipts: tuple[Receipt, ...]


class Noted(Struct, frozen=True):
    """A notification as the outbox has it."""

    position: int
    event: str
    publisher: str
    origin: str
    content: bytes


class Page(Struct, frozen=True):
    """Notifications after a position. `has_more`: there is more after this.

    `gap`: everything up to there was removed before it was read, and none of these is before it.
    """

    notifications: tuple[Noted, ...]
    has_more: bool
    gap: int | None = None
    after: int = 0


class Heard(Struct, frozen=True):
    tide: dict[str, int]


class Content(Struct, frozen=True):
    content: bytes


Outcome = Fine | Failed | Stored | Page | Heard | Content
FINE = Fine()
