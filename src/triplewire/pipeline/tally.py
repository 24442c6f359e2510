"""What the tasks of a Spark query tell while they run: how much is done, and whom they had to quarantine.

A task writes a few bytes into a file of its own, in a folder that it shares with the driver. An attempt that failed
has told something as well, so counts are for watching; whoever is quarantined is quarantined, whoever says so.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from pathlib import Path

import msgspec

from triplewire.pipeline.tasks import PROGRESS, Counts

_QUARANTINED = "quarantined"


class Tally:
    """A task's own count. Without a folder nobody asks for it."""

    def __init__(self, folder: str | None) -> None:
        self._folder = None if folder is None else Path(folder)
        self._name = uuid.uuid4().hex
        self._counts = Counts()
        self._quarantined: dict[str, str] = {}

    def add(self, counts: Counts) -> None:
        """So much more is done."""
        self._counts += counts
        self._write(PROGRESS, msgspec.msgpack.encode(self._counts))

    def quarantine(self, reasons: Mapping[str, str]) -> None:
        """All that the task's matcher has in quarantine, with the reasons."""
        if not reasons.keys() <= self._quarantined.keys():
            self._quarantined |= reasons
            self._write(_QUARANTINED, msgspec.msgpack.encode(self._quarantined))

    def _write(self, kind: str, message: bytes) -> None:
        if self._folder is not None:
            (self._folder / kind).mkdir(parents=True, exist_ok=True)
            (self._folder / kind / self._name).write_bytes(message)


def quarantined_in(folder: Path) -> dict[str, str]:
    """Everybody whom a task has quarantined, once, with the reason that the first of them gave."""
    told = [path.read_bytes() for path in sorted((folder / _QUARANTINED).glob("*"))]
    found: dict[str, str] = {}
    for message in filter(None, told):
        for name, reason in msgspec.msgpack.decode(message, type=dict[str, str]).items():
            found.setdefault(name, reason)
    return found
