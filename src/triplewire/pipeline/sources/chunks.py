"""From a stream of N-Quads bytes to chunks that hold whole events.

Memory stays bounded whatever comes: a line longer than an event may be is replaced by a short stand-in that is reported
as too long, and an event that grows beyond its limit is dropped as it is read, and reported once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO, Protocol

import numpy as np
import pyarrow as pa
from msgspec import Struct

from triplewire.matching.scanning.scanner import scan
from triplewire.pipeline.sources.boundaries import cuts, last_cut
from triplewire.rdf.limits import DEFAULT_LIMITS, MIB

BLOCK = 4 * MIB
_TAIL = 16 * 1024
_LINE_FEED = 10
_GRAPH_AT_END = re.compile(rb"(<[^<>\"{}|^`\\\x00-\x20]*>)[ \t]*\.[ \t\r]*$")


class Readable(Protocol):
    """What a stream has to offer."""

    def read(self, size: int, /) -> bytes: ...


class Chunk(Struct, frozen=True):
    """Whole events. `first_line` counts from 0, in the stream; `too_long` are lines of the chunk that are stand-ins."""

    data: bytes
    first_line: int
    too_long: frozenset[int] = frozenset()


class TooLarge(Struct, frozen=True):
    """An event that was dropped because of its size; `line` is where it begins, from 0."""

    graph: bytes
    line: int


class Interrupted(Struct, frozen=True):
    """The stream could not be read further. `line` counts from 0."""

    line: int
    reason: str


Piece = Chunk | TooLarge | Interrupted


def chunks(
    stream: Readable | IO[bytes], length: int | None = None, *, most: int = DEFAULT_LIMITS.event_bytes
) -> Iterator[Piece]:
    """Cut a stream, of which at most `length` bytes are read, into chunks of about `BLOCK` bytes.

    No event, and no line, has more than `most` bytes.
    """
    return _Cutter(stream, length, most).pieces()


def _is_refusal(error: Exception) -> bool:
    """Whether the system refused to read, which is not the file's fault. What Arrow cannot decompress has no number."""
    return isinstance(error, OSError) and error.errno is not None


class _Cutter:
    def __init__(self, stream: Readable | IO[bytes], length: int | None, most: int) -> None:
        self._stream = stream
        self._most = most
        self._left = length
        self._line = 0
        self._pending = b""
        self._too_long: list[int] = []
        self._dropping: bytes | None = None
        self._problem: str | None = None

    def pieces(self) -> Iterator[Piece]:
        while block := self._read():
            self._pending += block
            self._shorten()
            yield from self._whole_events()
        if self._problem is not None:
            # What stands before the break may be half an event.
            yield Interrupted(self._line + self._pending.count(b"\n"), self._problem)
            return
        yield from self._rest()

    def _read(self) -> bytes:
        size = BLOCK if self._left is None else min(BLOCK, self._left)
        if size == 0:
            return b""
        try:
            block = self._stream.read(size)
        except (OSError, EOFError, pa.ArrowException) as error:
            if _is_refusal(error):
                raise
            self._problem = str(error)
            return b""
        if self._left is not None:
            self._left -= len(block)
        return bytes(block)

    def _shorten(self) -> None:
        """Replace a line that is too long already, before all of it has been read."""
        start = self._pending.rfind(b"\n") + 1
        if len(self._pending) - start <= self._most:
            return
        tail = self._pending[-_TAIL:]
        while (block := self._read()) and b"\n" not in block:
            tail = (tail + block)[-_TAIL:]
        end, feed, following = block.partition(b"\n")
        named = _GRAPH_AT_END.search((tail + end)[-_TAIL:])
        self._too_long.append(self._line + self._pending.count(b"\n"))
        stand_in = b"! " + (named.group(1) if named else b"") + b" ."
        self._pending = self._pending[:start] + stand_in + feed + following
        self._shorten()

    def _whole_events(self) -> Iterator[Piece]:
        end = self._pending.rfind(b"\n") + 1
        if end == 0:
            return
        text = self._pending[:end]
        cut = last_cut(text)
        if cut == 0 and len(text) > 2 * self._most:
            yield from self._without_cut(text)
        elif cut:
            yield from self._take(cut)

    def _without_cut(self, text: bytes) -> Iterator[Piece]:
        """Either one event beyond all limits, or lines that are no N-Quads."""
        scanned = scan(text)
        if len(scanned) == 1 and not scanned.rejected(0):
            if self._dropping != scanned.graph(0):
                self._dropping = scanned.graph(0)
                yield TooLarge(self._dropping, self._line)
            self._skip(len(text))
        else:
            yield from self._take(len(text))

    def _rest(self) -> Iterator[Piece]:
        if self._pending:
            yield from self._take(len(self._pending))

    def _take(self, end: int) -> Iterator[Piece]:
        if self._dropping is not None:
            end -= self._drop_rest_of_event(end)
        data = self._pending[:end]
        if data:
            lines = _feeds(data)
            mine = frozenset(line - self._line for line in self._too_long if line <= self._line + lines)
            yield Chunk(data, self._line, mine)
            self._forget(end, lines)

    def _drop_rest_of_event(self, end: int) -> int:
        """Skip what is left of the event that is being dropped; returns how much that was."""
        graph, self._dropping = self._dropping, None
        text = self._pending[:end]
        scanned = scan(text)
        if not len(scanned) or scanned.graph(0) != graph:
            return 0
        found = cuts(text)
        skipped = int(found[0]) if found.size else end
        self._skip(skipped)
        return skipped

    def _skip(self, end: int) -> None:
        self._forget(end, self._pending.count(b"\n", 0, end))

    def _forget(self, end: int, lines: int) -> None:
        self._line += lines
        self._pending = self._pending[end:]
        self._too_long = [line for line in self._too_long if line >= self._line]


def _feeds(data: bytes) -> int:
    """How many line feeds there are. Lines are short, and `bytes.count` stops at every one."""
    return int(np.count_nonzero(np.frombuffer(data, np.uint8) == _LINE_FEED))
