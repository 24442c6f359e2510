"""What an access point knows of its peers. Everything here can be kept on disk and loaded again.

Times are in seconds that do not jump and go on after a restart.
"""

from __future__ import annotations

from msgspec import Struct

DAY = 86_400.0
MIB = 1 << 20


class Terms(Struct, frozen=True, kw_only=True):
    """How long things are kept, and how many of them."""

    keep: float = 30 * DAY
    """How long a peer that is off-line is remembered with all that is its own."""
    registration_lasts: float = 3_600.0
    """How long an advertisement stands without being repeated, while its peer is on-line."""
    rendezvous_lasts: float = 7 * DAY
    """How long a rendezvous is remembered, and a file waits in the rendezvous directory."""
    silence: float = 30.0
    """After so long without a word a peer is off-line."""
    handshake: float = 10.0
    """How long a handshake may take."""
    answer: float = 15.0
    """How long another access point may take to answer."""
    window: int = 64
    """How many notifications of a subscription are on their way, unacknowledged."""
    peers: int = 100_000
    handshakes: int = 1_000
    wishes: int = 100
    """Rendezvous that one peer may have asked for."""
    agreements: int = 1_000
    """Rendezvous that may wait for one owner."""
    files: int = 100
    """Files that may wait for one peer."""
    file_bytes: int = MIB


class PeerRecord(Struct, frozen=True):
    """A peer, with the hash of its private identifier. `gone` is since when it is off-line, None if it is not."""

    id: str
    public_key: bytes
    secret_hash: bytes
    gone: float | None = None
    registration: str | None = None


class Wish(Struct, frozen=True):
    """A rendezvous that a peer of this access point asked for."""

    requester: str
    id: str
    owner: str
    access_point: str
    location: str
    asked: float


class Agreement(Struct, frozen=True):
    """A rendezvous that waits for a peer of this access point, the owner, to upload to the requester's."""

    requester: str
    id: str
    owner: str
    access_point: str
    location: str
    agreed: float


class RendezvousFile(Struct, frozen=True):
    """A file in the rendezvous directory, without its content. `problem` says why there is none."""

    requester: str
    id: str
    owner: str
    location: str
    size: int
    kept: float
    problem: str = ""


class Pointer(Struct, frozen=True):
    """A peer that was here has moved to another access point."""

    peer: str
    to: str
    since: float


class Known(Struct, frozen=True):
    """A peer with the names of its subscriptions."""

    record: PeerRecord
    subscriptions: tuple[str, ...] = ()


class Memory(Struct, frozen=True):
    """What survives a restart."""

    peers: tuple[Known, ...] = ()
    wishes: tuple[Wish, ...] = ()
    agreements: tuple[Agreement, ...] = ()
    files: tuple[RendezvousFile, ...] = ()
    pointers: tuple[Pointer, ...] = ()
