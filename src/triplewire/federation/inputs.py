"""Inputs of a `RuleMachine`: everything that moves its state, each with the time of the rules.

That time goes on over restarts. A shell writes inputs to its log in their order, each before anything leaves that came
of it; whoever takes them again comes to the same state.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct

from triplewire.errors import DamagedStore, InputError, MessageRefused
from triplewire.federation.indexes.group_index import PeerView
from triplewire.federation.sites.codec.changes import PrivilegesText, privileges_of, privileges_text
from triplewire.federation.sites.codec.peer import FromPeerText, from_peer_of, from_peer_text
from triplewire.federation.sites.codec.view import ViewText, view_of, view_text
from triplewire.federation.sites.privileges import Privileges
from triplewire.federation.sites.requests import FromPeer
from triplewire.languages.rdftl.syntax import Abort


class NetworkChanged(Struct, frozen=True, tag="network", array_like=True):
    """The network as this super-peer sees it now.

    `others` are alive, `members` have not left; `onward` are the neighbours, each with the dimension of the cube.
    """

    now: float
    others: tuple[str, ...]
    members: tuple[str, ...]
    onward: tuple[tuple[int, str], ...]


class Tick(Struct, frozen=True, tag="tick", array_like=True):
    """Time has passed. It does something only if the machine says that it `is_due`."""

    now: float


class BodyReceived(Struct, frozen=True, tag="body", array_like=True):
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


class PeerLeft(Struct, frozen=True, tag="left", array_like=True):
    """A peer is gone, for a while or for good."""

    now: float
    peer: str


class FromPeerReceived(Struct, frozen=True):
    """A peer has said something."""

    now: float
    peer: str
    message: FromPeer


class Register(Struct, frozen=True, tag="register", array_like=True):
    """A rule of our group, as text. `time` is when it was registered, in Unix seconds."""

    now: float
    text: str
    time: float
    owner: str = ""
    abort: Abort | None = None


class Unregister(Struct, frozen=True, tag="unregister", array_like=True):
    """A rule of our group, by its global identifier, is to be no more."""

    now: float
    rule: str


class Submit(Struct, frozen=True, tag="submit", array_like=True):
    """A transaction of a peer that is here: updates, as text. `author` is the client who has submitted it."""

    now: float
    peer: str
    text: str
    author: str = ""


class Withdraw(Struct, frozen=True, tag="withdraw", array_like=True):
    """A unit is to abort, with whoever aborts with it."""

    now: float
    unit: str
    reason: str


class AskRelevance(Struct, frozen=True, tag="relevance", array_like=True):
    """Whom a rule concerns, which is given as text; the others have some seconds to say so."""

    now: float
    text: str
    seconds: float


class AskTrace(Struct, frozen=True, tag="trace", array_like=True):
    """What became of the transaction of a unit, ours or another's; the others have some seconds to say so."""

    now: float
    unit: str
    seconds: float


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
    | AskRelevance
    | AskTrace
    | Grant
)


class _JoinedText(Struct, frozen=True, tag="joined", array_like=True):
    now: float
    peer: str
    view: ViewText
    next_serial: int


class _ToldText(Struct, frozen=True, tag="told", array_like=True):
    now: float
    peer: str
    message: FromPeerText


class _GrantText(Struct, frozen=True, tag="grant", array_like=True):
    now: float
    privileges: PrivilegesText


_Written = (
    NetworkChanged
    | Tick
    | BodyReceived
    | _JoinedText
    | PeerLeft
    | _ToldText
    | Register
    | Unregister
    | Submit
    | Withdraw
    | AskRelevance
    | AskTrace
    | _GrantText
)
_ENCODER = msgspec.msgpack.Encoder()
_DECODER: msgspec.msgpack.Decoder[_Written] = msgspec.msgpack.Decoder(_Written)


def encode_input(given: Input) -> bytes:
    """An input for the log."""
    match given:
        case PeerJoined(now, peer, view, next_serial):
            return _ENCODER.encode(_JoinedText(now, peer, view_text(view), next_serial))
        case FromPeerReceived(now, peer, message):
            return _ENCODER.encode(_ToldText(now, peer, from_peer_text(message)))
        case Grant(now, privileges):
            return _ENCODER.encode(_GrantText(now, privileges_text(privileges)))
    return _ENCODER.encode(given)


def decode_input(data: bytes) -> Input:
    """An input of the log. Raises `DamagedStore`."""
    try:
        return _read(_DECODER.decode(data))
    except (ValueError, InputError, MessageRefused) as error:
        raise DamagedStore(wanted="an input of a federation", found=f"something else: {error}") from None


def _read(text: _Written) -> Input:
    match text:
        case _JoinedText(now, peer, view, next_serial):
            return PeerJoined(now, peer, view_of(view), next_serial)
        case _ToldText(now, peer, message):
            return FromPeerReceived(now, peer, from_peer_of(message))
        case _GrantText(now, privileges):
            return Grant(now, privileges_of(privileges))
    return text
