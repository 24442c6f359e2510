"""Any split becomes chunks of N-Quads and rejects.

Bad input is a reject, with file and line. A file that the system does not let us read is none: the task fails, so that
Spark tries it again, elsewhere perhaps, and the run fails if that does not help.
"""

from __future__ import annotations

import io
import os
import socket
from collections.abc import Iterator

import pyarrow as pa
from msgspec import Struct

from triplewire.errors import InputError, PipelineError, SyntaxProblem
from triplewire.pipeline.sources.boundaries import next_event
from triplewire.pipeline.sources.chunks import Chunk, Interrupted, Piece, TooLarge, chunks
from triplewire.pipeline.sources.splits import Split
from triplewire.pipeline.storage.files import open_range, open_stream
from triplewire.pipeline.storage.location import Location
from triplewire.rdf.documents import url_of
from triplewire.rdf.formats import NQUADS
from triplewire.rdf.limits import MIB, exceeded

_BLOCK = 4 * MIB


class Reject(Struct, frozen=True):
    """Bad input: the file, the line (from 1; none if it is not about a line), what it is about, and why."""

    file: str | None
    line: int | None
    event: str | None
    subscription: str | None
    reason: str


class Lines:
    """Counts the lines of a file before a place, when asked: only rejects need to know."""

    def __init__(self, file: Location, start: int) -> None:
        self._file = file
        self._start = start
        self._before: int | None = None

    def number(self, line: int) -> int:
        """The number in the file, from 1, of a line of the range that begins at `start`, from 0."""
        if self._before is None:
            self._before = self._count()
        return self._before + line + 1

    def _count(self) -> int:
        count, left = 0, self._start
        with open_range(self._file) as stream:
            while left and (block := stream.read(min(_BLOCK, left))):
                count += block.count(b"\n")
                left -= len(block)
        return count


class LocatedChunk(Struct, frozen=True):
    """A chunk with the knowledge to say where its lines stand in the file."""

    chunk: Chunk
    split: Split
    lines: Lines

    def reject(self, line: int, event: str | None, reason: str) -> Reject:
        """A reject for a line of the chunk, counted from 1."""
        if line - 1 in self.chunk.too_long:
            most = self.split.options.limits.event_bytes
            reason = f"wanted lines of at most {most:,} bytes, found a longer one"
        return Reject(self.split.path, self.lines.number(self.chunk.first_line + line - 1), event, None, reason)


def read_split(split: Split) -> Iterator[LocatedChunk | Reject]:
    """Everything in a split."""
    try:
        if split.format != NQUADS.name:
            yield from _documents(split)
        elif split.compression is not None:
            with open_stream(split.location, split.compression) as stream:
                yield from _located(split, chunks(stream, most=split.options.limits.event_bytes), 0)
        else:
            yield from _range(split)
    except OSError as error:
        if error.errno is not None:
            raise PipelineError(
                wanted="a file that every worker can read",
                found=f"on {socket.gethostname()}: {os.strerror(error.errno)}",
                source=str(split.path),
            ) from error
        yield Reject(split.path, None, None, None, f"cannot be read ({split.compression}): {error}")


def _range(split: Split) -> Iterator[LocatedChunk | Reject]:
    most = split.options.limits.event_bytes
    start = next_event(split.location, split.start, split.size, most)
    if start >= split.end:
        return
    end = next_event(split.location, split.end, split.size, most)
    with open_range(split.location) as file:
        file.seek(start)
        yield from _located(split, chunks(file, end - start, most=most), start)


def _located(split: Split, pieces: Iterator[Piece], start: int) -> Iterator[LocatedChunk | Reject]:
    lines = Lines(split.location, start)
    for piece in pieces:
        if isinstance(piece, Chunk):
            yield LocatedChunk(piece, split, lines)
        elif isinstance(piece, TooLarge):
            yield _too_large(split, piece, lines)
        else:
            yield _interrupted(split, piece, lines)


def _too_large(split: Split, piece: TooLarge, lines: Lines) -> Reject:
    reason = f"event too large: wanted at most {split.options.limits.event_bytes:,} bytes, found more"
    return Reject(split.path, lines.number(piece.line), piece.graph[1:-1].decode(errors="replace"), None, reason)


def _interrupted(split: Split, piece: Interrupted, lines: Lines) -> Reject:
    reason = f"the file cannot be read beyond this line ({split.compression or 'plain'}): {piece.reason}"
    return Reject(split.path, lines.number(piece.line), None, None, reason)


def _documents(split: Split) -> Iterator[LocatedChunk | Reject]:
    """A format that is read as a whole."""
    try:
        data = _whole(split)
        found = split.options.reading.events(
            data, split.format, source=split.path, time=split.modified, url=url_of(split.path)
        )
    except SyntaxProblem as problem:
        reason = f"column {problem.column}: {problem.message}"
        yield Reject(split.path, problem.line, None, None, reason)
    except InputError as problem:
        yield Reject(split.path, problem.line, None, None, problem.message)
    except (EOFError, pa.ArrowException) as problem:
        yield Reject(split.path, None, None, None, f"cannot be read ({split.compression}): {problem}")
    else:
        chunk = Chunk(b"".join(event.nquads for event in found), 0)
        yield LocatedChunk(chunk, split, Lines(split.location, 0))


def _whole(split: Split) -> bytes:
    most = split.options.limits.document_bytes
    pieces = io.BytesIO()
    with open_stream(split.location, split.compression) as stream:
        while pieces.tell() <= most and (block := stream.read(_BLOCK)):
            pieces.write(block)
    if pieces.tell() > most:
        raise exceeded("document_bytes", most, "document too large", f"more than {most}")
    return pieces.getvalue()
