"""How far a step of a run has come, as its tasks report it, or else as Spark does.

Spark knows which of the tasks that it has planned are done. It plans the next shuffle when the last one is over, so
by that measure the time left is for what is planned so far.
"""

from __future__ import annotations

from typing import Protocol

import msgspec
from msgspec import Struct

from triplewire.pipeline.progress import Counts, read_progress
from triplewire.pipeline.storage.location import Location

_WHOLE = 1_000


class Gauge(Protocol):
    """What a listener is shown."""

    @property
    def total(self) -> int:
        """What `bytes` will be in the end."""

    def read(self, share: float) -> Counts:
        """How far it has come; `share` is the share of Spark's tasks that are done."""


class ByBytes(Struct, frozen=True):
    """Tasks report how many bytes of the payloads they have seen."""

    folder: Location
    total: int

    def read(self, share: float) -> Counts:
        counts = read_progress(self.folder)
        return msgspec.structs.replace(counts, bytes=min(counts.bytes, self.total))


class ByTasks(Struct, frozen=True):
    """Spark reports how many tasks are done. Rows are what tasks report, or else that share of what there is in all."""

    folder: Location | None = None
    whole: Counts = msgspec.field(default_factory=Counts)
    total: int = _WHOLE

    def read(self, share: float) -> Counts:
        if self.folder is not None:
            return msgspec.structs.replace(read_progress(self.folder), bytes=round(share * _WHOLE))
        events, matches, rejects = (
            round(share * n) for n in (self.whole.events, self.whole.matches, self.whole.rejects)
        )
        return Counts(events, matches, rejects, round(share * _WHOLE))
