"""The process that answers SPARQL queries: an Oxigraph store, and one message at a time.

It is run as a file, and imports nothing of Triplewire, so that it starts at once. It can be killed at any moment, in
the middle of a query that takes too long or needs too much memory: the log has everything, and adding an event again
changes nothing. Messages are pickled and preceded by their length; they come from the node, never from outside.

    ("flush",)                                -> ("done", position)
    ("query", text, format, most_bytes)       -> ("answer", media type, bytes) | ("refused", reason)
    ("graph", name, format, most_bytes)       -> the same, and whether it is empty; no name: the default graph

    of the events that are kept ("events"):
    ("add", position, [(graph, nquads), ...]) -> ("done", position)
    ("remove", [graph, ...])                  -> ("done", position)

    of the living graph ("living"):
    ("apply", position, added, removed)       -> ("done", position), both as N-Quads
    ("reset",)                                -> ("done", -1), empty
    ("fill", nquads)                          -> ("done", -1)
    ("filled", position)                      -> ("done", position)

Before the first message it says ("done", position); while it brings a store of an earlier version up to date it says
("upgrading", number of triples) again and again before that.

Of events, the default graph is a set: a triple that stands in three events is in it once, and stays until the last of
them is removed. It is kept beside the named graphs, since Oxigraph's union of named graphs is a bag.
"""

from __future__ import annotations

import os
import pickle
import resource
import struct
import sys
import time
from collections.abc import Callable, Iterator
from io import RawIOBase
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from pyoxigraph import (
    DefaultGraph,
    NamedNode,
    Quad,
    QueryBoolean,
    QueryResultsFormat,
    QuerySolutions,
    RdfFormat,
    Store,
    parse,
    serialize,
)

LENGTH = struct.Struct(">Q")
_FLUSH_SECONDS = 2.0
_OPEN_SECONDS = 10.0
# Stores of the first version have no triples in the default graph, and no note of their version.
_VERSION = "2"
_UPGRADE_LOT = 50_000
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


class QueriedStore:
    """A store, and the position up to which everything is certainly in it."""

    def __init__(self, folder: Path) -> None:
        self._note = folder.with_suffix(".position")
        if not folder.exists():
            # A store that somebody has removed is empty, whatever was noted of it.
            self._note.unlink(missing_ok=True)
        self._store = _opened(folder)
        self.position = self._noted = self._read_note()
        self._flushed = time.monotonic()

    def tasks(self) -> dict[str, Callable[..., tuple[Any, ...]]]:
        return {"query": self.query, "graph": self.graph, "flush": self.flush}

    def upgrade(self) -> Iterator[int]:
        """Bring a store of an earlier version up to date."""
        return iter(())

    def query(self, text: str, form: str, most: int) -> tuple[Any, ...]:
        output = Bounded(most)
        stream = cast(IO[bytes], output)
        try:
            results = self._store.query(text)
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

    def graph(self, name: str | None, form: str, most: int) -> tuple[Any, ...]:
        output = Bounded(most)
        rdf = RdfFormat.from_media_type(form) or RdfFormat.N_TRIPLES
        place = DefaultGraph() if name is None else NamedNode(name)
        quads = self._store.quads_for_pattern(None, None, None, place)
        is_empty = next(self._store.quads_for_pattern(None, None, None, place), None) is None
        try:
            serialize((quad.triple for quad in quads), cast(IO[bytes], output), rdf)
        except TooLarge:
            return "refused", f"wanted a graph of at most {most:,} bytes, found more"
        return "answer", rdf.media_type, output.content, is_empty

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

    def _moved(self, position: int) -> tuple[Any, ...]:
        self.position = position
        if time.monotonic() - self._flushed > _FLUSH_SECONDS:
            self.flush()
        return "done", position

    def _read_note(self) -> int:
        text = self._note.read_text() if self._note.exists() else ""
        return int(text) if text.removeprefix("-").isdigit() else 0


class LivingReplica(QueriedStore):
    """The living graph, as its journal of changes tells it. What was applied may be applied again."""

    def tasks(self) -> dict[str, Callable[..., tuple[Any, ...]]]:
        return {
            **super().tasks(),
            "apply": self.apply,
            "reset": self.reset,
            "fill": self.fill,
            "filled": self.filled,
        }

    def apply(self, position: int, added: bytes, removed: bytes) -> tuple[Any, ...]:
        gone = list(parse(removed, RdfFormat.N_QUADS))
        for quad in gone:
            self._store.remove(quad)
        self._store.extend(parse(added, RdfFormat.N_QUADS))
        # A graph is there as long as it holds something, and no longer.
        for name in {quad.graph_name for quad in gone} - {DefaultGraph()}:
            if next(self._store.quads_for_pattern(None, None, None, name), None) is None:
                self._store.remove_graph(name)
        return self._moved(position)

    def reset(self) -> tuple[Any, ...]:
        """Begin anew. Whoever finds that note begins anew, too: nothing is complete until it is filled."""
        self.position = -1
        self.flush()
        self._store.clear()
        return "done", self.position

    def fill(self, nquads: bytes) -> tuple[Any, ...]:
        self._store.bulk_extend(parse(nquads, RdfFormat.N_QUADS))
        return "done", self.position

    def filled(self, position: int) -> tuple[Any, ...]:
        self.position = position
        return self.flush()


class RepositoryStore(QueriedStore):
    """The events that are kept."""

    def __init__(self, folder: Path) -> None:
        self._version = folder.with_suffix(".version")
        super().__init__(folder)

    def tasks(self) -> dict[str, Callable[..., tuple[Any, ...]]]:
        return super().tasks() | {"add": self.add, "remove": self.remove}

    def upgrade(self) -> Iterator[int]:
        """Fill the default graph of a store that has none, some triples at a time. Ended halfway, it begins again."""
        if self._version.exists():
            return
        done = 0
        for graph in self._store.named_graphs():
            quads = list(self._store.quads_for_pattern(None, None, None, graph))
            self._store.extend([_in_default(quad) for quad in quads])
            if done // _UPGRADE_LOT != (done + len(quads)) // _UPGRADE_LOT:
                yield done
            done += len(quads)
        self._store.flush()
        self._version.write_text(_VERSION)

    def add(self, position: int, events: list[tuple[str, bytes]]) -> tuple[Any, ...]:
        for graph, nquads in events:
            self._forget(NamedNode(graph))
            # Labels are an event's own: two events with `_:a` have two blank nodes.
            quads = list(parse(nquads, RdfFormat.N_QUADS, rename_blank_nodes=True))
            self._store.extend(quads + [_in_default(quad) for quad in quads])
        return self._moved(position)

    def remove(self, graphs: list[str]) -> tuple[Any, ...]:
        for graph in graphs:
            self._forget(NamedNode(graph))
        return "done", self.position

    def _forget(self, graph: NamedNode) -> None:
        """Remove an event, and from the default graph what no other event says. Ended halfway, it is done again."""
        if not self._store.contains_named_graph(graph):
            return
        for quad in self._store.quads_for_pattern(None, None, None, graph):
            if not self._is_elsewhere(quad):
                self._store.remove(_in_default(quad))
        self._store.remove_graph(graph)

    def _is_elsewhere(self, quad: Quad) -> bool:
        """Whether another event has the triple; looks at three quads at most."""
        places = self._store.quads_for_pattern(quad.subject, quad.predicate, quad.object, None)
        return any(place.graph_name not in (quad.graph_name, DefaultGraph()) for place in places)


def _opened(folder: Path) -> Store:
    """Open the store; a process that was killed a moment ago may still hold its lock."""
    deadline = time.monotonic() + _OPEN_SECONDS
    while True:
        try:
            return Store(str(folder))
        except OSError as problem:
            # Oxigraph raises OSError for whatever keeps a store from opening; only its text tells of the lock.
            if "lock" not in str(problem).lower() or time.monotonic() > deadline:
                raise
            time.sleep(0.05)


def _in_default(quad: Quad) -> Quad:
    """The same triple in the default graph."""
    return Quad(quad.subject, quad.predicate, quad.object, DefaultGraph())


def send(stream: BinaryIO, message: Any) -> None:
    """Write one message."""
    data = pickle.dumps(message)
    stream.write(LENGTH.pack(len(data)) + data)
    stream.flush()


def receive(stream: BinaryIO) -> Any:
    """Read one message, or None at the end."""
    length = stream.read(LENGTH.size)
    return pickle.loads(stream.read(LENGTH.unpack(length)[0])) if len(length) == LENGTH.size else None


def main(kind: str, folder: str, memory: str) -> None:
    """Answer messages from standard input until it ends."""
    os.setpgrp()  # an interrupt at the terminal is the node's to handle
    os.nice(_NICE)
    resource.setrlimit(resource.RLIMIT_AS, (int(memory), int(memory)))
    store = (LivingReplica if kind == "living" else RepositoryStore)(Path(folder))
    for count in store.upgrade():
        send(sys.stdout.buffer, ("upgrading", count))
    send(sys.stdout.buffer, ("done", store.position))
    tasks = store.tasks()
    while message := receive(sys.stdin.buffer):
        name, *arguments = message
        send(sys.stdout.buffer, tasks[name](*arguments))
    store.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
