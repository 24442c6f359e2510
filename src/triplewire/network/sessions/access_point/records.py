"""Records of an access point about its peers, which are saved on disk, and its settings.

Times are in monotonic seconds that continue after a restart.
"""

from __future__ import annotations

from msgspec import Struct

DAY = 86_400.0
MIB = 1 << 20


class AccessPointSettings(Struct, frozen=True, kw_only=True):
    """Timeouts and limits of an access point."""

    keep: float = 30 * DAY
    """How long a peer that is off-line stays registered."""
    registration_lasts: float = 3_600.0
    """How long an advertisement lasts without being repeated, while its peer is on-line."""
    rendezvous_lasts: float = 7 * DAY
    """How long a rendezvous request, a pending upload and a rendezvous file are kept."""
    silence: float = 30.0
    """A session without a message for so long ends."""
    handshake: float = 10.0
    """How long a handshake may take."""
    answer: float = 15.0
    """How long another access point may take to answer."""
    window: int = 64
    """How many notifications of a subscription may be unacknowledged."""
    peers: int = 100_000
    handshakes: int = 1_000
    requests: int = 100
    """Rendezvous requests of one peer."""
    pending_uploads: int = 1_000
    """Pending uploads of one owner."""
    files: int = 100
    """Rendezvous files of one peer."""
    file_bytes: int = MIB
    rules_waiting_bytes: int = 256 * MIB
    """What of bodies about rules waits for the rest of them, of all peers together."""


class PeerRecord(Struct, frozen=True):
    """A peer, with the hash of its private identifier. `gone` is since when it is off-line, None if on-line."""

    id: str
    public_key: bytes
    secret_hash: bytes
    gone: float | None = None
    registration: str | None = None


class RendezvousRequest(Struct, frozen=True):
    """A rendezvous that a peer of this access point, the requester, asked for."""

    requester: str
    id: str
    owner: str
    access_point: str
    location: str
    asked: float


class PendingUpload(Struct, frozen=True):
    """An upload that is pending for a peer of this access point, the owner, to the requester's access point."""

    requester: str
    id: str
    owner: str
    access_point: str
    location: str
    agreed: float


class RendezvousFile(Struct, frozen=True):
    """A file in the rendezvous directory, without its content. `problem` says why it has none."""

    requester: str
    id: str
    owner: str
    location: str
    size: int
    kept: float
    problem: str = ""


class Pointer(Struct, frozen=True):
    """The access point that a peer has moved to."""

    peer: str
    to: str
    since: float


class PeerWithSubscriptions(Struct, frozen=True):
    """A peer with the names of its subscriptions."""

    record: PeerRecord
    subscriptions: tuple[str, ...] = ()


class SavedAccessPoint(Struct, frozen=True):
    """The saved state of an access point: what survives a restart."""

    peers: tuple[PeerWithSubscriptions, ...] = ()
    requests: tuple[RendezvousRequest, ...] = ()
    pending_uploads: tuple[PendingUpload, ...] = ()
    files: tuple[RendezvousFile, ...] = ()
    pointers: tuple[Pointer, ...] = ()
