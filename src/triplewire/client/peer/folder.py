"""The home of a peer.

    key             its private key and its private identifier; for its owner's eyes only
    home.json       its saved state: access points, subscriptions, requests
    notifications/  the paper's notifications directory: one file each
    resources/      what it shares; others ask for a path in here
    gaps/           notifications that were lost to retention: one file each
    rendezvous/     files that it requested
    repository.db   its repository, and what of that it has told its super-peer; made when it is first used
    inbox/          updates of the repository for the program that uses the home

A notification is saved under its identity, so one that comes again changes nothing. Every file is put in place whole.
One program at a time uses a home.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import Self

import msgspec
from msgspec import Raw, Struct

from triplewire.errors import HomeInUse, InputError
from triplewire.network.sessions.identity import new_private_key, new_secret
from triplewire.network.sessions.peer.saved_state import AccessPointInfo, PeerKeys, SavedPeer
from triplewire.network.sessions.peer_messages import Notification, Resource
from triplewire.system.durable_files import replace_file, replace_files
from triplewire.system.folder_lock import FolderLock, lock_folder

_SECRET, _SHARED = 0o600, 0o644


class Saved(Struct, frozen=True):
    """A notification as it is saved. Publisher and origin lead to its resource, also much later."""

    subscription: str
    event: str
    publisher: str
    origin: str
    content: Raw


class Gap(Struct, frozen=True):
    """Notifications of a subscription after one position of an access point, up to another, are lost to retention.

    What is in the notifications directory all the same has come before it was lost.
    """

    subscription: str
    access_point: str
    after: int
    until: int

    def __str__(self) -> str:
        return (
            f"notifications of {self.subscription!r} after position {self.after}, up to {self.until}, are lost: "
            f"{self.access_point} no longer had them"
        )


class Folder:
    """A home on disk. `with` keeps other programs out of it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock: FolderLock | None = None

    @classmethod
    def make(cls, path: Path, at: AccessPointInfo, address: str = "") -> Folder:
        """A new home for a new peer."""
        folder = cls(path)
        for part in (path, path / "notifications", path / "resources", path / "rendezvous"):
            part.mkdir(parents=True, exist_ok=True)
        if folder._key.exists():
            raise InputError(wanted="a folder without a peer", found="one that has one", source=str(path))
        replace_file(folder._key, msgspec.json.encode(PeerKeys(new_private_key(), new_secret())), _SECRET)
        folder.save(SavedPeer(at=at, address=address))
        return folder

    def __enter__(self) -> Self:
        self.keys()
        in_use = HomeInUse(wanted="a home that is free", found="a program that uses it", source=str(self.path))
        self._lock = lock_folder(self.path / "lock", in_use, _SECRET)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    # Keys and state

    @property
    def _key(self) -> Path:
        return self.path / "key"

    def keys(self) -> PeerKeys:
        """The keys of the peer."""
        try:
            data = self._key.read_bytes()
        except FileNotFoundError:
            raise InputError(
                wanted="the home of a peer", found="none", hint="triplewire peer init makes one", source=str(self.path)
            ) from None
        if self._key.stat().st_mode & 0o077:
            raise InputError(
                wanted="a key that only its owner may read", found="another", hint="chmod 600", source=str(self._key)
            )
        try:
            return msgspec.json.decode(data, type=PeerKeys)
        except msgspec.DecodeError:
            raise InputError(wanted="the keys of a peer", found="something else", source=str(self._key)) from None

    def saved_state(self) -> SavedPeer:
        """The saved state of the peer."""
        file = self.path / "home.json"
        try:
            return msgspec.json.decode(file.read_bytes(), type=SavedPeer)
        except (FileNotFoundError, msgspec.DecodeError) as error:
            raise InputError(
                wanted="what a peer remembers", found=f"something else: {error}", source=str(file)
            ) from None

    def save(self, saved: SavedPeer) -> None:
        replace_file(self.path / "home.json", msgspec.json.format(msgspec.json.encode(saved)), _SECRET)

    @property
    def repository(self) -> Path:
        """The file of the peer's repository, which need not be there."""
        return self.path / "repository.db"

    @property
    def inbox(self) -> Path:
        """Where updates wait for the program that uses the home."""
        return self.path / "inbox"

    # Notifications

    def notify(self, words: Sequence[Notification]) -> list[Saved | None]:
        """Save notifications; None for those that were there already."""
        folder = self.path / "notifications"
        fresh: dict[str, bytes] = {}
        found: list[Saved | None] = []
        for message in words:
            name = f"{_identity(message.name, message.event)}.json"
            saved = Saved(message.name, message.event, message.publisher, message.origin, Raw(message.content))
            is_new = name not in fresh and not (folder / name).exists()
            found.append(saved if is_new else None)
            if is_new:
                fresh[name] = msgspec.json.encode(saved)
        if fresh:
            replace_files(folder, list(fresh.items()), _SHARED)
        return found

    def notifications(self) -> list[Saved]:
        """All saved notifications, oldest first."""
        return [msgspec.json.decode(file.read_bytes(), type=Saved) for file in self._oldest_first("notifications")]

    def _oldest_first(self, part: str) -> list[Path]:
        return sorted((self.path / part).glob("*.json"), key=lambda file: file.stat().st_mtime_ns)

    def add_gap(self, gap: Gap) -> None:
        """Save a gap. It replaces one that begins at the same position."""
        folder = self.path / "gaps"
        folder.mkdir(exist_ok=True)
        name = _identity(f"{gap.subscription}\0{gap.access_point}", str(gap.after))
        replace_file(folder / f"{name}.json", msgspec.json.encode(gap), _SHARED)

    def gaps(self) -> list[Gap]:
        """All gaps, oldest first."""
        return [msgspec.json.decode(file.read_bytes(), type=Gap) for file in self._oldest_first("gaps")]

    def notification(self, event: str) -> Saved:
        """The saved notification of an event, or `InputError`."""
        for saved in self.notifications():
            if saved.event == event:
                return saved
        raise InputError(wanted="a notification that was saved", found=f"none of <{event}>", source=str(self.path))

    # Resources and rendezvous files

    def resource(self, location: str, most: int) -> tuple[bytes, str]:
        """The content of a resource, or why there is none. Nothing outside `resources` is ever read (row A17)."""
        root = (self.path / "resources").resolve()
        parts = PurePosixPath(location).parts
        if not parts or location.startswith("/") or "\0" in location or any(part == ".." for part in parts):
            return b"", "no such resource"
        file = root.joinpath(*parts).resolve()
        if not file.is_relative_to(root) or not file.is_file():
            return b"", "no such resource"
        if file.stat().st_size > most:
            return b"", f"a resource of more than {most} bytes"
        return file.read_bytes(), ""

    def receive(self, message: Resource) -> Path:
        """Save a rendezvous file, under the identifier of its request."""
        file = self.path / "rendezvous" / hashlib.sha256(message.id.encode()).hexdigest()[:32]
        description = {
            "id": message.id,
            "owner": message.owner,
            "location": message.location,
            "problem": message.problem,
        }
        replace_file(file, message.content, _SHARED)
        replace_file(file.with_suffix(".json"), msgspec.json.encode(description), _SHARED)
        return file


def _identity(name: str, event: str) -> str:
    return hashlib.sha256(f"{name}\0{event}".encode()).hexdigest()[:32]
