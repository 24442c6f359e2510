"""The repository's own process: an Oxigraph store, and one message at a time.

It is run as a file, and imports nothing of Triplewire, so that it starts at once. It can be killed at any moment, in
the middle of a query that takes too long or needs too much memory: the log has everything, and adding an event again
changes nothing. Messages are pickled and preceded by their length; they come from the node, never from outside.

    ("add", position, [(graph, nquads), ...]) -> ("done", position)
    ("remove", [graph, ...])                  -> ("done", position)
    ("flush",)                                -> ("done", position)
    ("query", text, format, most_bytes)       -> ("answer", media type, bytes) | ("refused", reason)
"""

from __future__ import annotations

import os
import pickle
import resource
import struct
import sys
import time
from collections.abc import Callable
from io import RawIOBase
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from pyoxigraph import (
    NamedNode,
    QueryBoolean,
    QueryResultsFormat,
    QuerySolutions,
    RdfFormat,
    Store,
    parse,
)

LENGTH = struct.Struct(">Q")
_FLUSH_SECONDS = 2.0
_OPEN_SECONDS = 10.0
# It follows the log when there is time; publishers and subscribers come first.
_NICE = 19


class TooLarge(Exception):  # noqa: N818  says what happened
    """A result that has more bytes than allowed."""


class Bounded(RawIOBase):
    """Where a result is written, up to a limit."""

    def __init__(self, most: int) -> None:
        self._parts: list[bytes] = []
        self._left = most

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        part = bytes(data)
        self._left -= len(part)
        if self._left < 0:
            raise TooLarge
        self._parts.append(part)
        return len(part)

    @property
    def content(self) -> bytes:
        return b"".join(self._parts)


class Repository:
    """The store, and the position up to which the log is certainly in it."""

    def __init__(self, folder: Path) -> None:
        self._note = folder.with_suffix(".position")
        self._store = _opened(folder)
        self.position = self._noted = self._read_note()
        self._flushed = time.monotonic()

    def add(self, position: int, events: list[tuple[str, bytes]]) -> tuple[Any, ...]:
        for graph, nquads in events:
            name = NamedNode(graph)
            if self._store.contains_named_graph(name):
                self._store.remove_graph(name)
            # Labels are an event's own: two events with `_:a` have two blank nodes.
            self._store.extend(parse(nquads, RdfFormat.N_QUADS, rename_blank_nodes=True))
        self.position = position
        if time.monotonic() - self._flushed > _FLUSH_SECONDS:
            self.flush()
        return "done", position

    def remove(self, graphs: list[str]) -> tuple[Any, ...]:
        for graph in graphs:
            self._store.remove_graph(NamedNode(graph))
        return "done", self.position

    def query(self, text: str, form: str, most: int) -> tuple[Any, ...]:
        output = Bounded(most)
        stream = cast(IO[bytes], output)
        try:
            results = self._store.query(text, use_default_graph_as_union=True)
            if isinstance(results, QuerySolutions | QueryBoolean):
                chosen = QueryResultsFormat.from_media_type(form) or QueryResultsFormat.JSON
                results.serialize(stream, chosen)
                return "answer", chosen.media_type, output.content
            rdf = RdfFormat.from_media_type(form) or RdfFormat.N_TRIPLES
            results.serialize(stream, rdf)
        except TooLarge:
            return "refused", f"wanted a result of at most {most:,} bytes, found more"
        except (ValueError, SyntaxError, OSError, RuntimeError) as error:
            return "refused", f"the query could not be evaluated: {error}"
        return "answer", rdf.media_type, output.content

    def flush(self) -> tuple[Any, ...]:
        """Make sure of what was added, then note how far that is."""
        self._flushed = time.monotonic()
        if self.position != self._noted:
            self._store.flush()
            fresh = self._note.with_suffix(".new")
            fresh.write_text(str(self.position))
            fresh.replace(self._note)
            self._noted = self.position
        return "done", self.position

    def _read_note(self) -> int:
        text = self._note.read_text() if self._note.exists() else ""
        return int(text) if text.isdigit() else 0


def _opened(folder: Path) -> Store:
    """Open the store; a process that was killed a moment ago may still hold its lock."""
    deadline = time.monotonic() + _OPEN_SECONDS
    while True:
        try:
            return Store(str(folder))
        except OSError as problem:
            if "lock" not in str(problem).lower() or time.monotonic() > deadline:
                raise
            time.sleep(0.05)


def send(stream: BinaryIO, message: Any) -> None:
    """Write one message."""
    data = pickle.dumps(message)
    stream.write(LENGTH.pack(len(data)) + data)
    stream.flush()


def receive(stream: BinaryIO) -> Any:
    """Read one message, or None at the end."""
    length = stream.read(LENGTH.size)
    return pickle.loads(stream.read(LENGTH.unpack(length)[0])) if len(length) == LENGTH.size else None


def main(folder: str, memory: str) -> None:
    """Answer messages from standard input until it ends."""
    os.setpgrp()  # an interrupt at the terminal is the node's to handle
    os.nice(_NICE)
    resource.setrlimit(resource.RLIMIT_AS, (int(memory), int(memory)))
    repository = Repository(Path(folder))
    send(sys.stdout.buffer, ("done", repository.position))
    tasks: dict[str, Callable[..., tuple[Any, ...]]] = {
        "add": repository.add,
        "remove": repository.remove,
        "query": repository.query,
        "flush": repository.flush,
    }
    while message := receive(sys.stdin.buffer):
        name, *arguments = message
        send(sys.stdout.buffer, tasks[name](*arguments))
    repository.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
