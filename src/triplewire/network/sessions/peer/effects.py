"""What a peer's program wants done by the shell around it, in this order."""

from __future__ import annotations

from msgspec import Struct

from triplewire.errors import SessionRefused
from triplewire.network.sessions.peer.memory import Home, Place
from triplewire.network.sessions.peer_messages import Missed, Notification, Resource, Told, Wanted


class Dial(Struct, frozen=True):
    """Open a connection, under a name. The access point's key is known."""

    line: str
    place: Place


class HangUp(Struct, frozen=True):
    """Close a connection."""

    line: str


class Send(Struct, frozen=True):
    """Send this over a connection."""

    line: str
    data: bytes


class Save(Struct, frozen=True):
    """Keep this, before anything that follows is sent."""

    home: Home


class Arrived(Struct, frozen=True):
    """A notification: save it, then call `saved`."""

    line: str
    word: Notification


class Lapsed(Struct, frozen=True):
    """Some notifications were not kept for long enough at an access point: note it, then call `noted`."""

    line: str
    place: Place
    word: Missed


class Got(Struct, frozen=True):
    """A rendezvous file: save it, then call `kept`."""

    line: str
    word: Resource


class UploadWanted(Struct, frozen=True):
    """Somebody wants a resource: call `upload`."""

    line: str
    word: Wanted


class Answered(Struct, frozen=True):
    """What became of something that was asked under this token."""

    token: str
    word: Told


class Turned(Struct, frozen=True):
    """An access point refused this peer, or is not the one it should be."""

    place: Place
    problem: SessionRefused


Effect = Dial | HangUp | Send | Save | Arrived | Lapsed | Got | UploadWanted | Answered | Turned
