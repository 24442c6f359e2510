"""Records what the living graph does as a peer of its group, in the transactions that do it. On the writer's thread.

Memory is ahead of the disk until the commit, as that of the living graph is: what was told in a transaction that is
rolled back is taken back, and where a commit fails all of it is read again.
"""

from __future__ import annotations

from collections.abc import Callable

from triplewire.federation.indexes.group_index import PeerView
from triplewire.federation.indexes.local_index import IndexChange, LocalIndex
from triplewire.federation.sites.requests import NumberedReply, Report, ReportedUpdate, Told
from triplewire.federation.sites.stream import PeerStream
from triplewire.node.federation import site_stream
from triplewire.node.federation.outcomes import of_default_graph
from triplewire.node.living.graph import LivingGraph
from triplewire.rules.changes import Changes, Edits
from triplewire.rules.execution import ScheduleOutcome
from triplewire.rules.schema import Schema
from triplewire.store.disk import Connection

_SCHEMA = "schema"


class SiteRecorder:
    """A `Reporter` of the living graph. `said` gets what was told, after the commit; True: there is another schema."""

    def __init__(self, said: Callable[[list[Told], bool], None]) -> None:
        self.stream = PeerStream()
        self._said = said
        self._index = LocalIndex()
        self._schema = Schema(())
        self._fresh: list[Told] = []
        self._is_rejoining = False
        self._undo: list[Callable[[], None]] = []

    def view(self, living: LivingGraph) -> tuple[PeerView, int]:
        """All that the super-peer has to know, and the first serial that it may not have."""
        return PeerView(living.schema, self._index.nodes, self._index.references), self.stream.next_serial

    # What the living graph says

    def begin(self) -> None:
        """What was told before is not rolled back any more."""
        self._undo.clear()

    def executed(self, tx: Connection, living: LivingGraph, outcome: ScheduleOutcome, author: str) -> None:
        """The node has changed its graph by itself. Without a schema there is nothing that a rule could be about."""
        if living.schema.is_empty:
            return
        done = of_default_graph(outcome)
        if done.is_nothing:
            return
        name = next((entry.transaction for entry in outcome.entries if entry.cause is None), "")
        index = self.follow(done.changes)
        report = Report(done.wanted, done.updates, done.changes, index, done.reads, done.checks, author, name)
        self._report(tx, report)

    def schema_changed(self, tx: Connection, living: LivingGraph, changes: Changes, author: str) -> None:
        """The super-peer is told of the schema by a new view; what follows by it now is a change like any other."""
        index, schema = self._index, self._schema
        self._undo.append(lambda: self._restore(index, schema))
        self._read_graph(living)
        self._is_rejoining = True
        if changes:
            updates = (ReportedUpdate(changes),)
            self._report(tx, Report(Edits(), updates, changes, IndexChange(), author=author, name=_SCHEMA))

    def committed(self) -> None:
        """It is on the disk: the super-peer may know."""
        if self._fresh or self._is_rejoining:
            fresh, self._fresh = self._fresh, []
            is_rejoining, self._is_rejoining = self._is_rejoining, False
            self._said(fresh, is_rejoining)

    def rolled_back(self) -> None:
        """Take back what was told since the transaction began."""
        while self._undo:
            self._undo.pop()()

    def reloaded(self, tx: Connection, living: LivingGraph) -> None:
        """Read everything again."""
        self.stream = site_stream.load(tx)
        self._undo.clear()
        self._fresh.clear()
        self._is_rejoining = False
        self._read_graph(living)

    # What the site does for its super-peer

    def follow(self, changes: Changes) -> IndexChange:
        """Follow a change of the closure."""
        self._undo.append(lambda: self._take_back(changes))
        return self._index.follow(changes)

    def answer(self, tx: Connection, reply: NumberedReply, updates: tuple[ReportedUpdate, ...] = ()) -> None:
        """A request was done. `updates` are what was changed, one by one."""
        self._mark()
        self._told(tx, self.stream.answer(reply, updates=updates))

    # Private

    def _report(self, tx: Connection, report: Report) -> None:
        self._mark()
        self._told(tx, self.stream.report(report))

    def _told(self, tx: Connection, told: Told) -> None:
        site_stream.keep(tx, told, self.stream.kept.get(told.serial))
        self._fresh.append(told)

    def _mark(self) -> None:
        stream, fresh = self.stream, len(self._fresh)
        serial, answered = stream.serial, stream.answered

        def undo() -> None:
            del self._fresh[fresh:]
            stream.serial, stream.answered = serial, answered
            for kept in (stream.unreceived, stream.kept):
                for number in [number for number in kept if number > serial]:
                    del kept[number]

        self._undo.append(undo)

    def _take_back(self, changes: Changes) -> None:
        self._index.follow(changes.reversed())

    def _read_graph(self, living: LivingGraph) -> None:
        self._schema = living.schema
        # Without a schema no rule is about anything here, and the graph may be large.
        self._index = LocalIndex() if living.schema.is_empty else LocalIndex(living.repository)

    def _restore(self, index: LocalIndex, schema: Schema) -> None:
        self._index, self._schema, self._is_rejoining = index, schema, False
