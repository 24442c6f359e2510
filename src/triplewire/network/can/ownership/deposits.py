"""Deposits: what is stored here and belongs to others is sent to its owners, and discarded when they have receipted it.

There are two kinds. Orphans are boxes of our own store that we do not own any more. A kept replica whose owner is
gone, and whose zones are not ours, is deposited part by part. Nothing is discarded before every owner has receipted
it; after a crash all of it begins again, from the store and the journal. Owners handle a deposit as messages, so it
does not matter what they have of it already.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from triplewire.network.can.effects import Deposit, Effect
from triplewire.network.can.geometry.space import Box
from triplewire.network.can.ownership.claims import minus
from triplewire.network.can.ownership.state import State

DEPOSIT = "deposit "
"""What the identifiers of deposits begin with."""
# How many chunks of one deposit are on their way at a time.
_WINDOW = 4


class _Job(Struct):
    boxes: tuple[Box, ...]
    chunks: Iterator[bytes]
    at_end: Callable[[], None]
    under_way: set[str]
    losses: int
    is_read: bool = False


class Deposits:
    """The deposits of one node that are under way, one after the other."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._jobs: list[_Job] = []
        self._orphans: _Job | None = None

    def __len__(self) -> int:
        return len(self._jobs) + bool(self._state.orphans)

    def add(self, boxes: Sequence[Box], chunks: Iterator[bytes], at_end: Callable[[], None]) -> None:
        """Deposit these chunks in these boxes, and then call `at_end`."""
        self._jobs.append(_Job(tuple(boxes), chunks, at_end, set(), self._state.losses))

    def pump(self) -> list[Effect]:
        """Send on as far as the window allows."""
        self._deposit_orphans()
        effects: list[Effect] = []
        for job in list(self._jobs[:2]):
            while not job.is_read and len(job.under_way) < _WINDOW:
                chunk = next(job.chunks, None)
                if chunk is None:
                    job.is_read = True
                else:
                    cast_id = f"{DEPOSIT}{self._state.number()}"
                    job.under_way.add(cast_id)
                    effects.append(Deposit(cast_id, job.boxes, chunk))
            self._end(job)
        return effects

    def completed(self, cast_id: str) -> None:
        """Every owner has receipted this chunk."""
        for job in list(self._jobs):
            job.under_way.discard(cast_id)
            self._end(job)

    # Private

    def _end(self, job: _Job) -> None:
        if job.is_read and not job.under_way and job in self._jobs:
            self._jobs.remove(job)
            job.at_end()

    def _deposit_orphans(self) -> None:
        if self._orphans is None and self._state.orphans:
            boxes = tuple(self._state.orphans)
            self.add(boxes, iter(self._state.contents.export(boxes)), self._discard_orphans)
            self._orphans = self._jobs[-1]

    def _discard_orphans(self) -> None:
        """What has become ours again stays. If something has become an orphan in the meantime, all begins again."""
        assert self._orphans is not None
        state, boxes, losses = self._state, self._orphans.boxes, self._orphans.losses
        self._orphans = None
        if losses != state.losses:
            return
        for box in minus([part for orphan in state.orphans for part in _shared(boxes, orphan)], state.zones):
            state.contents.discard(box)
        state.orphans = minus(state.orphans, boxes)
        state.save()


def _shared(boxes: Sequence[Box], other: Box) -> list[Box]:
    return [box.intersection(other) for box in boxes if box.touches(other)]
