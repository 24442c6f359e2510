"""Effects of a peer's program, which the shell around it does in order."""

from __future__ import annotations

from msgspec import Struct

from triplewire.errors import SessionRefused
from triplewire.network.sessions.peer.saved_state import AccessPointInfo, SavedPeer
from triplewire.network.sessions.peer_messages import (
    AccessPointMessage,
    Missed,
    Notification,
    Resource,
    UploadRequested,
)


class Connect(Struct, frozen=True):
    """Open a connection, under a name. The access point's key is known."""

    connection: str
    access_point: AccessPointInfo


class Disconnect(Struct, frozen=True):
    """Close a connection."""

    connection: str


class SendBytes(Struct, frozen=True):
    """Send bytes over a connection."""

    connection: str
    data: bytes


class SaveState(Struct, frozen=True):
    """Save the state, before anything that follows is sent."""

    saved: SavedPeer


class NotificationReceived(Struct, frozen=True):
    """A notification: save it, then call `notification_saved`."""

    connection: str
    message: Notification


class NotificationsLost(Struct, frozen=True):
    """An access point has lost notifications to retention: save the gap, then call `loss_saved`."""

    connection: str
    access_point: AccessPointInfo
    message: Missed


class FileReceived(Struct, frozen=True):
    """A rendezvous file: save it, then call `file_saved`."""

    connection: str
    message: Resource


class UploadNeeded(Struct, frozen=True):
    """Another peer requests a resource: call `upload`."""

    connection: str
    message: UploadRequested


class SessionBegun(Struct, frozen=True):
    """The session with the present access point has begun. `super_peer` is its identifier."""

    super_peer: str


class RulesReceived(Struct, frozen=True):
    """The access point has sent a body about rules."""

    body: bytes


class RulesNotTaken(Struct, frozen=True):
    """The access point did not take a body about rules."""

    wanted: str
    found: str


class RequestAnswered(Struct, frozen=True):
    """The answer to the request with this token."""

    token: str
    message: AccessPointMessage


class Rejected(Struct, frozen=True):
    """An access point refused this peer, or has not the expected key."""

    access_point: AccessPointInfo
    problem: SessionRefused


Effect = (
    Connect
    | Disconnect
    | SendBytes
    | SaveState
    | NotificationReceived
    | NotificationsLost
    | FileReceived
    | UploadNeeded
    | SessionBegun
    | RulesReceived
    | RulesNotTaken
    | RequestAnswered
    | Rejected
)
