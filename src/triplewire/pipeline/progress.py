"""The progress of the tasks of a Spark query while they run: how much is done, and which subscriptions are quarantined.

A task writes a few bytes into a file of its own, in a folder that it shares with the driver. Attempts that failed
have written as well, so counts are for watching; a subscription that one task has quarantined is quarantined.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Mapping

import msgspec
from msgspec import Struct

from triplewire.pipeline.storage.files import list_files, read_bytes, replace_small
from triplewire.pipeline.storage.location import Location

_PROGRESS = "progress"
_QUARANTINED = "quarantined"
# Nobody looks more often, and a file system takes its time.
_PAUSE_SECONDS = 0.2
_PAUSE_SECONDS_ELSEWHERE = 2.0


class Counts(Struct):
    """What a task, or all of them, have done so far."""

    events: int = 0
    matches: int = 0
    rejects: int = 0
    bytes: int = 0

    def __add__(self, other: Counts) -> Counts:
        pairs = zip(msgspec.structs.astuple(self), msgspec.structs.astuple(other), strict=True)
        return Counts(*(a + b for a, b in pairs))


class TaskProgress:
    """The count of one task. Without a folder nothing is written."""

    def __init__(self, folder: Location | str | None) -> None:
        self._folder = None if folder is None else Location.of(folder)
        self._pause = _PAUSE_SECONDS if self._folder is None or self._folder.is_local else _PAUSE_SECONDS_ELSEWHERE
        self._name = uuid.uuid4().hex
        self._counts = Counts()
        self._quarantined: dict[str, str] = {}
        self._written = 0.0

    def add(self, counts: Counts) -> None:
        """So much more is done."""
        self._counts += counts
        if self._folder is not None and not self._folder.is_local:
            self.write_throttled(self._counts)
        else:
            self.write(self._counts)

    def write(self, counts: Counts) -> None:
        """So much is done in all."""
        self._write(_PROGRESS, msgspec.msgpack.encode(counts))
        self._written = time.monotonic()

    def write_throttled(self, counts: Counts) -> None:
        """The same, at most once in a while, for callers in a loop; the last count needs `write`."""
        if time.monotonic() - self._written >= self._pause:
            self.write(counts)

    def quarantine(self, reasons: Mapping[str, str]) -> None:
        """All that the task's matcher has in quarantine, with the reasons."""
        if not reasons.keys() <= self._quarantined.keys():
            self._quarantined |= reasons
            self._write(_QUARANTINED, msgspec.msgpack.encode(self._quarantined))

    def _write(self, kind: str, message: bytes) -> None:
        if self._folder is not None:
            replace_small(self._folder / kind / self._name, message)


def read_progress(folder: Location) -> Counts:
    """What all tasks have written so far."""
    messages = _messages(folder / _PROGRESS)
    return sum((msgspec.msgpack.decode(message, type=Counts) for message in messages), Counts())


def _messages(folder: Location) -> list[bytes]:
    names = [file.location for file in list_files(folder) if not file.location.name.startswith(".")]
    return [read_bytes(location) for location in names]


def read_quarantined(folder: Location) -> dict[str, str]:
    """Every subscription that a task has quarantined, once, with the reason of the first such task."""
    messages = _messages(folder / _QUARANTINED)
    found: dict[str, str] = {}
    for message in messages:
        for name, reason in msgspec.msgpack.decode(message, type=dict[str, str]).items():
            found.setdefault(name, reason)
    return found
