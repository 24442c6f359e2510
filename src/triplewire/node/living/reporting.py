"""Reporting: whoever is told of each change of the default graph in the transaction that keeps it, with all about it.

A follower (`changes`) is told what quads come and go. A reporter is told what each update of the schedule did, too, so
that rules across super-peers can be triggered by it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from triplewire.rules.changes import Changes
from triplewire.rules.execution import ScheduleOutcome
from triplewire.store.disk import Connection

if TYPE_CHECKING:
    from triplewire.node.living.graph import LivingGraph


class Reporter(Protocol):
    """Told on the writer's thread. What it writes to `tx` is there with the change or not at all."""

    def executed(self, tx: Connection, living: LivingGraph, outcome: ScheduleOutcome, author: str) -> None:
        """An author's schedule was executed; the graph is as it is after it."""
        ...

    def schema_changed(self, tx: Connection, living: LivingGraph, changes: Changes, author: str) -> None:
        """Another schema is used, and this follows no longer or follows now. The graph may be another object."""
        ...

    def committed(self) -> None:
        """A transaction is on the disk; whoever waits for it has not been answered yet."""
        ...

    def begin(self) -> None:
        """A transaction begins: what it was told before is not rolled back any more."""
        ...

    def rolled_back(self) -> None:
        """What it was told since the transaction began has not happened."""
        ...

    def reloaded(self, tx: Connection, living: LivingGraph) -> None:
        """All was read again from the disk: what it knows from before may be wrong."""
        ...


class NoReporter:
    """Nobody."""

    def executed(self, tx: Connection, living: LivingGraph, outcome: ScheduleOutcome, author: str) -> None:
        pass

    def schema_changed(self, tx: Connection, living: LivingGraph, changes: Changes, author: str) -> None:
        pass

    def committed(self) -> None:
        pass

    def begin(self) -> None:
        pass

    def rolled_back(self) -> None:
        pass

    def reloaded(self, tx: Connection, living: LivingGraph) -> None:
        pass
