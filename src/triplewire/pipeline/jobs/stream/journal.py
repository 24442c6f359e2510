"""How far a stream has come in a log: written down before a micro-batch is filled, and after all is done with it.

STREAM/offsets/NUMBER     which positions the micro-batch holds
STREAM/commits/NUMBER     it is in the lake, and delivered
"""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec import Struct

from triplewire.errors import LakeError
from triplewire.system.durable_files import replace_file


class Entry(Struct, frozen=True):
    """A micro-batch: everything after one position, up to another."""

    number: int
    after: int
    until: int


class Journal:
    """The entries of one stream. Only the newest matters, so only the newest two are kept."""

    def __init__(self, folder: Path) -> None:
        self._offsets, self._commits = folder / "offsets", folder / "commits"
        self._offsets.mkdir(parents=True, exist_ok=True)
        self._commits.mkdir(exist_ok=True)

    def last(self) -> Entry | None:
        """The micro-batch that was begun last."""
        numbers = _numbers(self._offsets)
        if not numbers:
            return None
        path = self._offsets / str(numbers[-1])
        try:
            return msgspec.json.decode(path.read_bytes(), type=Entry)
        except msgspec.DecodeError as error:
            raise LakeError(f"{path}: the journal of the stream is damaged: {error}") from None

    def is_finished(self, entry: Entry) -> bool:
        return (self._commits / str(entry.number)).exists()

    def begin(self, entry: Entry) -> None:
        replace_file(self._offsets / str(entry.number), msgspec.json.encode(entry))

    def finish(self, entry: Entry) -> None:
        replace_file(self._commits / str(entry.number), b"")
        for folder in (self._offsets, self._commits):
            for number in _numbers(folder)[:-2]:
                (folder / str(number)).unlink()


def _numbers(folder: Path) -> list[int]:
    return sorted(int(path.name) for path in folder.iterdir() if path.name.isdigit())
