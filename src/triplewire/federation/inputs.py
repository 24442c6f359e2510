"""Inputs of a `RuleMachine`: everything that moves its state, each with the time of the rules.

That time goes on over restarts. A shell writes inputs to its log in their order, each before anything leaves that came
of it; whoever takes them again comes to the same state.
"""

from __future__ import annotations

from msgspec import Struct

from triplewire.federation.indexes.group_index import PeerView
from triplewire.federation.sites.privileges import Privileges
from triplewire.federation.sites.requests import FromPeer
from triplewire.languages.rdftl.syntax import Abort


class NetworkChanged(Struct, frozen=True):
    """The network as this super-peer sees it now.

    `others` are alive, `members` have not left; `onward` are the neighbours, each with the dimension of the cube.
    """

    now: float
    others: tuple[str, ...]
    members: tuple[str, ...]
    onward: tuple[tuple[int, str], ...]


class Tick(Struct, frozen=True):
    """Time has passed. It does something only if the machine says that it `is_due`."""

    now: float


class BodyReceived(Struct, frozen=True):
    """A body about rules has come from another super-peer. `sender` is empty where it was broadcast."""

    now: float
    sender: str
    data: bytes


class PeerJoined(Struct, frozen=True):
    """A peer is here, with all that it has. `next_serial`: the view includes all that it told before this serial."""

    now: float
    peer: str
    view: PeerView
    next_serial: int = 1


class PeerLeft(Struct, frozen=True):
    """A peer is gone, for a while or for good."""

    now: float
    peer: str


class FromPeerReceived(Struct, frozen=True):
    """A peer has said something."""

    now: float
    peer: str
    message: FromPeer


class Register(Struct, frozen=True):
    """A rule of our group, as text. `time` is when it was registered, in Unix seconds."""

    now: float
    text: str
    time: float
    owner: str = ""
    abort: Abort | None = None


class Unregister(Struct, frozen=True):
    """A rule of our group, by its global identifier, is to be no more."""

    now: float
    rule: str


class Submit(Struct, frozen=True):
    """A transaction of a peer that is here: updates, as text."""

    now: float
    peer: str
    text: str


class Withdraw(Struct, frozen=True):
    """A unit is to abort, with whoever aborts with it."""

    now: float
    unit: str
    reason: str


class Grant(Struct, frozen=True):
    """What others may read and write of our group's data from now on."""

    now: float
    privileges: Privileges


Input = (
    NetworkChanged
    | Tick
    | BodyReceived
    | PeerJoined
    | PeerLeft
    | FromPeerReceived
    | Register
    | Unregister
    | Submit
    | Withdraw
    | Grant
)
