"""Changes of the living graph, for those who are told of them in the transactions that keep them."""

from __future__ import annotations

from typing import Protocol

from triplewire.rdf.terms import Quad, Triple
from triplewire.rules.changes import Changes
from triplewire.store.disk import Connection
from triplewire.store.tables.outbox import OutboxEntry
from triplewire.views.changes import Change
from triplewire.views.graphs import Dataset


class Follower(Protocol):
    """Told of each change inside the transaction that keeps it, on the writer's thread.

    What it writes to `tx`, and what it gives back for outboxes, is there with the change or not at all.
    """

    def changed(self, tx: Connection, change: Change, dataset: Dataset) -> tuple[OutboxEntry, ...]:
        """A change has happened; `dataset` is as it is after it."""
        ...

    def rolled_back(self) -> None:
        """What it was told since the last commit has not happened."""
        ...


class NoFollower:
    """Nobody."""

    def changed(self, tx: Connection, change: Change, dataset: Dataset) -> tuple[OutboxEntry, ...]:
        return ()

    def rolled_back(self) -> None:
        pass


def change_of(position: int, time: float, changes: Changes) -> Change:
    """What a schedule has changed, as one."""
    named = changes.edits.named
    return Change(
        position, time, (*map(_quad, changes.inserted), *named.inserted), (*map(_quad, changes.deleted), *named.deleted)
    )


def _quad(triple: Triple) -> Quad:
    return Quad(triple.subject, triple.predicate, triple.object)
