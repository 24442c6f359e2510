"""Where an event begins in N-Quads, near any byte.

The quads of an event are adjacent, so an event begins wherever a sound line names another graph than the sound line
before it. Whether that is so can be told from those two lines alone: two tasks that look at the same byte come to the
same answer, however much of the file each of them sees. Beside a broken line nothing is certain, so no range begins or
ends there.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from triplewire.matching.kernels.columns import BROKEN, QUAD_EVENT, QUAD_LINE, QUAD_STATE
from triplewire.matching.scanning.scanner import scan
from triplewire.pipeline.storage.files import open_range
from triplewire.pipeline.storage.location import Location
from triplewire.rdf.limits import MIB

_FIRST_WINDOW = 64 * 1024
_LAST_WINDOW = 16 * MIB
_STEP = MIB
_LINE_FEED = 10


def cuts(text: bytes) -> NDArray[np.int64]:
    """Offsets in `text`, which is whole lines, at which an event certainly begins after another one."""
    quads = scan(text).quads
    sound = quads[:, QUAD_STATE] != BROKEN
    begins = (quads[1:, QUAD_EVENT] != quads[:-1, QUAD_EVENT]) & sound[1:] & sound[:-1]
    lines = quads[1:, QUAD_LINE][begins]
    starts: NDArray[np.int64] = line_starts(text)[lines - 1]
    return starts


def line_starts(text: bytes) -> NDArray[np.int64]:
    """The offset of each line; where the text ends in a line feed, of one more."""
    feeds = np.flatnonzero(np.frombuffer(text, np.uint8) == _LINE_FEED)
    starts = np.zeros(feeds.size + 1, np.int64)
    starts[1:] = feeds + 1
    return starts


def last_cut(text: bytes) -> int:
    """The last certain beginning in `text`, or 0. Looks at as much of its end as it must."""
    window = _FIRST_WINDOW
    while True:
        start = 0 if window >= len(text) else text.find(b"\n", len(text) - window) + 1
        found = cuts(text[start:])
        if found.size:
            return start + int(found[-1])
        if start == 0:
            return 0
        window *= 4


def next_event(file: Location, offset: int, size: int, most: int = MIB) -> int:
    """The first byte at or after `offset` at which an event begins: 0 for 0, `size` if there is none.

    `most` is how large an event may be: however large, it is not cut.
    """
    if offset <= 0 or offset >= size:
        return max(0, min(offset, size))
    window = _FIRST_WINDOW
    with open_range(file) as stream:
        while True:
            low, high = max(0, offset - window), min(size, offset + window)
            stream.seek(low)
            found = _first_cut(stream.read(high - low), low, high == size, offset)
            if found is not None:
                return found
            if low == 0 and high == size:
                return size
            if window >= max(_LAST_WINDOW, 2 * most):
                return _next_line(file, offset, size)
            window *= 4


def _first_cut(data: bytes, low: int, at_end: bool, offset: int) -> int | None:
    start = data.find(b"\n") + 1 if low else 0
    end = len(data) if at_end else data.rfind(b"\n") + 1
    if start >= end:
        return None
    found = cuts(data[start:end]) + low + start
    following = found[found >= offset]
    return int(following[0]) if following.size else None


def _next_line(file: Location, offset: int, size: int) -> int:
    """Where a line begins, for data in which no event does: something beyond all limits, or no N-Quads at all."""
    with open_range(file) as stream:
        stream.seek(offset - 1)
        place = offset - 1
        while block := stream.read(_STEP):
            feed = block.find(b"\n")
            if feed >= 0:
                return place + feed + 1
            place += len(block)
    return size
