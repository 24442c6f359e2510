"""The changes of a node's living graph as a log of events, for a stream that follows them.

Each change is at most two events a graph: what was inserted, and what was deleted, in the words in which a node tells
of its changes itself (`<event> a tw:Inserted` or `tw:Deleted`; of a named graph also `<event> tw:graph <g>`). Their
names depend on the node, the position and the content only: a change that is read again gives the same events.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Protocol

import pyoxigraph
from msgspec import Struct

from triplewire.rdf.events import Event
from triplewire.rdf.terms import TW, Quad
from triplewire.rules.changes import Changes, Edits, NamedEdits, parted
from triplewire.rules.execution import events_of
from triplewire.wire.answers import ChangePage, ChangeView

# What a node gives at most in one answer.
_MOST = 100


class ChangeSource(Protocol):
    """A node with a living graph; `triplewire.client.Client` is one."""

    url: str

    def changes(self, after: int, limit: int) -> ChangePage: ...
    def node_id(self) -> str: ...


class ChangeEvents(Struct, frozen=True):
    """A page of changes, as events."""

    nquads: bytes
    position: int
    gap: int | None
    is_last: bool


class ChangeLog:
    """Changes where a stream wants a log. Positions are those of the changes."""

    def __init__(self, node: ChangeSource) -> None:
        self._node = node
        self._id = ""
        self.url = node.url

    def node_id(self) -> str:
        """The node's changes are another source than its events."""
        return f"{self._known_id()}, changes of its living graph"

    def read_log(self, after: int, limit: int) -> ChangeEvents:
        """What follows a position."""
        page = self._node.changes(after, min(limit, _MOST))
        events = (event for change in page.changes for event in events_of_change(self._known_id(), change))
        return ChangeEvents(
            b"".join(event.nquads for event in events), page.position, page.gap, page.position >= page.head
        )

    def _known_id(self) -> str:
        self._id = self._id or self._node.node_id()
        return self._id


def events_of_change(node: str, change: ChangeView) -> Iterator[Event]:
    """What a change inserted and deleted, deletions first."""
    removed, added = _quads(change.removed), _quads(change.added)
    (gone, named_gone), (new, named_new) = parted(removed), parted(added)
    changes = Changes(Edits(new, gone, NamedEdits(named_new, named_gone)), new, gone)
    time = datetime.fromtimestamp(change.time, UTC)
    return events_of({str(change.position): changes}, source=TW[f"changes:{node}"].value, time=time)


def _quads(lines: Iterable[str]) -> list[Quad]:
    text = "".join(f"{line} .\n" for line in lines)
    return list(pyoxigraph.parse(text, format=pyoxigraph.RdfFormat.N_QUADS))
