"""Effects: what a super-peer asks of the shell around it."""

from __future__ import annotations

from msgspec import Struct

from triplewire.network.messages import Message, Packet, Publication


class SendPacket(Struct, frozen=True):
    """Send a packet to an address. It may get lost."""

    to: str
    packet: Packet


class Accept(Struct, frozen=True):
    """An event from the network that a local subscription matches: store it, and notify."""

    publication: Publication


class Replay(Struct, frozen=True):
    """Read what was published here after a position, oldest first, and hand it to `SuperPeer.replayed`."""

    ticket: int
    after: int


class RelayReceived(Struct, frozen=True):
    """A message from another access point has arrived; it is for the sessions."""

    sender: str
    body: bytes


class BroadcastReceived(Struct, frozen=True):
    """A broadcast has arrived."""

    id: str
    body: bytes
    hops: int


class SendMessage(Struct, frozen=True):
    """Send a message to a member over its link; `SuperPeer` turns it into packets before the shell sees it."""

    to: str
    message: Message


Effect = SendPacket | Accept | Replay | RelayReceived | BroadcastReceived
Action = Effect | SendMessage
