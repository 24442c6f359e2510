"""Changes of the living graph, for those who are told of them in the transactions that keep them."""

from __future__ import annotations

from typing import Protocol

from triplewire.evaluation.datasets import Dataset
from triplewire.node.living.reasons import GraphReasons
from triplewire.rdf.terms import Quad, Triple
from triplewire.rules.changes import Changes
from triplewire.store.disk import Connection
from triplewire.store.tables.outbox import OutboxEntry
from triplewire.views.changes import Change as DatasetChange
from triplewire.wire.answers import Receipt


class Change(DatasetChange, frozen=True):
    """What one transaction has changed, and the last of the events that tell of it; none if nothing has changed.

    `reasons` tell what quads stand on, as long as the transaction is under way.
    """

    event: Receipt | None = None
    reasons: GraphReasons | None = None


class Follower(Protocol):
    """Told of each change inside the transaction that keeps it, on the writer's thread.

    What it writes to `tx`, and what it gives back for outboxes, is there with the change or not at all.
    """

    def changed(self, tx: Connection, change: Change, dataset: Dataset) -> tuple[OutboxEntry, ...]:
        """A change has happened; `dataset` is as it is after it."""
        ...

    def committed(self) -> None:
        """A transaction is on the disk; whoever waits for it has not been answered yet."""
        ...

    def rolled_back(self, position: int, dataset: Dataset) -> None:
        """What it was told of changes beyond a position has not happened; `dataset` is as it was before them."""
        ...

    def reloaded(self, tx: Connection, dataset: Dataset) -> None:
        """All was read again from the disk: what it knows from before may be wrong."""
        ...


class NoFollower:
    """Nobody."""

    def changed(self, tx: Connection, change: Change, dataset: Dataset) -> tuple[OutboxEntry, ...]:
        return ()

    def committed(self) -> None:
        pass

    def rolled_back(self, position: int, dataset: Dataset) -> None:
        pass

    def reloaded(self, tx: Connection, dataset: Dataset) -> None:
        pass


def change_of(position: int, time: float, changes: Changes, event: Receipt | None, reasons: GraphReasons) -> Change:
    """What a schedule has changed, as one."""
    return Change(position, time, *quads_of(changes), event, reasons)


def quads_of(changes: Changes) -> tuple[tuple[Quad, ...], tuple[Quad, ...]]:
    """What came, and what went, in all graphs."""
    named = changes.edits.named
    return (*map(_quad, changes.inserted), *named.inserted), (*map(_quad, changes.deleted), *named.deleted)


def _quad(triple: Triple) -> Quad:
    return Quad(triple.subject, triple.predicate, triple.object)
