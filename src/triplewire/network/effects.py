"""What a super-peer wants done: the shell around it does it."""

from __future__ import annotations

from msgspec import Struct

from triplewire.network.messages import Message, Publication, Wire


class Send(Struct, frozen=True):
    """Send this to that address. It may get lost."""

    to: str
    what: Wire


class Accept(Struct, frozen=True):
    """An event from the network that a local subscription matches: store it, and notify."""

    publication: Publication


class Replay(Struct, frozen=True):
    """Read what was published here after a position, oldest first, and hand it to `SuperPeer.replayed`."""

    ticket: int
    after: int


class Relay(Struct, frozen=True):
    """Another access point says this: it is for the sessions."""

    sender: str
    body: bytes


class Spread(Struct, frozen=True):
    """A broadcast has arrived."""

    id: str
    body: bytes
    hops: int


class Say(Struct, frozen=True):
    """Say this to a member, over the link to it: `SuperPeer` makes frames of it."""

    to: str
    message: Message


Effect = Send | Accept | Replay | Relay | Spread
Deed = Effect | Say
