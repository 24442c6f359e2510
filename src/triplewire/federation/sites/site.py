"""A peer: a repository that conforms to the peer's own schema, does what its super-peer asks, and reports the rest.

site = PeerSite("ann", schema)
told = site.change(parse_updates(text))     # a change of its own: committed, and reported to the super-peer
answer = site.receive(request)              # what the super-peer asks for
again = list(site.stream.to_repeat)         # what was not received, now and then
"""

from __future__ import annotations

from collections.abc import Iterable

from pyoxigraph import Store

from triplewire.errors import InputError, SchemaViolation
from triplewire.federation.indexes.group_index import PeerView
from triplewire.federation.indexes.local_index import IndexChange, LocalIndex
from triplewire.federation.sites.detection import detect
from triplewire.federation.sites.matching import matched
from triplewire.federation.sites.planning import (
    MOST_EDITS,
    WithForeign,
    as_kept,
    described_elsewhere,
    planned,
    still_described,
)
from triplewire.federation.sites.requests import (
    Compensate,
    Compensated,
    Detect,
    Detected,
    Execute,
    Executed,
    Forget,
    FromPeer,
    FromSuperPeer,
    Match,
    Numbered,
    NumberedReply,
    Received,
    Refused,
    Reply,
    Report,
    ReportedUpdate,
    Request,
    Told,
)
from triplewire.federation.sites.stream import PeerStream
from triplewire.languages.rdftl.syntax import Update
from triplewire.rdf.terms import Triple
from triplewire.rules.changes import Changes, Edits, NetChanges, last_word
from triplewire.rules.execution.actions import ActionEdits, MovedArc, Planner
from triplewire.rules.graphs import RecordingGraph
from triplewire.rules.name_resolution import resolved_update
from triplewire.rules.repository import Repository
from triplewire.rules.schema import Schema

_Done = tuple[Reply, tuple[MovedArc, ...]]


class PeerSite:
    """A peer of a super-peer. `name` is unique in the network: it names the peer's blank nodes."""

    def __init__(self, name: str, schema: Schema, store: Store | None = None, stream: PeerStream | None = None) -> None:
        self.name = name
        self.repository = Repository(schema, store)
        self.index = LocalIndex(self.repository)
        self.stream = PeerStream() if stream is None else stream

    @property
    def view(self) -> PeerView:
        """All that the super-peer has to know of the peer when it joins."""
        return PeerView(self.repository.schema, self.index.nodes, self.index.references)

    @property
    def last_reply(self) -> Reply:
        """What the last numbered request has come to."""
        answered = self.stream.answered
        assert answered is not None, "nothing was asked"
        assert isinstance(answered.what, NumberedReply), "a report answers nothing"
        return answered.what.reply

    def load(self, triples: Iterable[Triple]) -> None:
        """Begin with these triples. They trigger nothing."""
        self.repository.load(triples)
        self.index = LocalIndex(self.repository)

    def declare(self, schema: Schema) -> IndexChange:
        """Have another schema from now on. Raises `SchemaViolation` if what is here would not conform to it.

        What follows by the one schema and not by the other comes and goes without an event.
        """
        repository = Repository(schema)
        repository.apply(Edits(tuple(self.repository.asserted)), WithForeign(repository, self.stream.foreign))
        before, self.index = self.index, LocalIndex(repository)
        self.repository = repository
        return self.index.since(before)

    # Changes of its own

    def change(self, updates: Iterable[Update | Edits], *, author: str = "", name: str = "") -> Told:
        """One transaction of the peer itself: all of it, or nothing. Raises what is wrong with an update."""
        reads, checks = RecordingGraph(self.repository), RecordingGraph(self._with_foreign)
        done: list[tuple[ActionEdits, Changes]] = []
        try:
            for update in updates:
                edits = self._planned_by_itself(update, reads)
                done.append((edits, self.repository.apply(edits.edits, checks)))
        except InputError:
            self.repository.apply(_net(changes for _, changes in done).edits.reversed(), self._with_foreign)
            raise
        net = _net(changes for _, changes in done)
        report = Report(
            last_word(as_kept(edits.edits) for edits, _ in done),
            tuple(ReportedUpdate(changes, edits.moved) for edits, changes in done),
            net,
            self.index.follow(net),
            tuple(reads.lookups),
            tuple(checks.lookups),
            author,
            name,
        )
        return self.stream.report(report)

    def _planned_by_itself(self, update: Update | Edits, graph: RecordingGraph) -> ActionEdits:
        if isinstance(update, Edits):
            return ActionEdits(update)
        schema = self.repository.schema
        whole = resolved_update(update, schema)
        return Planner(graph, schema, whole.lets, None, MOST_EDITS).plan(whole.action)

    # What the super-peer asks for

    def receive(self, asked: FromSuperPeer) -> FromPeer | None:
        """Do what the super-peer asks. None: there is nothing to say, or nobody waits for it."""
        match asked:
            case Numbered(number, request):
                if number > self.stream.last_number:
                    reply, moved = self._reply(request)
                    self.stream.answer(NumberedReply(number, reply), moved)
                return self.stream.answered if number == self.stream.last_number else None
            case Match():
                return matched(self.name, self.repository, asked, self.stream.serial)
            case Received() | Forget():
                self.stream.take(asked)
                return None

    def _reply(self, request: Request) -> _Done:
        match request:
            case Execute():
                return self._execute(request)
            case Detect():
                return self._detect(request), ()
            case Compensate(edits):
                return self._compensate(edits), ()

    def _execute(self, request: Execute) -> _Done:
        classes = described_elsewhere(self.name, request.classes)
        graph = RecordingGraph(self.repository)
        seen = RecordingGraph(WithForeign(self.repository, self.stream.foreign, classes))
        try:
            plan = planned(self.name, graph, self.repository.schema, request)
            changes = self.repository.apply(plan.edits, seen)
        except SchemaViolation as error:
            return Refused(error.message, error.triple), ()
        except InputError as error:
            return Refused(error.message), ()
        self.stream.foreign.update(still_described(classes, changes))
        index = self.index.follow(changes)
        reply = Executed(as_kept(plan.edits), changes, index, tuple(graph.lookups), tuple(seen.lookups))
        return reply, plan.moved

    def _detect(self, request: Detect) -> Detected | Refused:
        stream = self.stream
        return detect(self.name, self.repository, self.repository.schema, stream.kept, stream.foreign, request)

    def _compensate(self, edits: Edits) -> Compensated | Refused:
        try:
            changes = self.repository.apply(edits, self._with_foreign)
        except SchemaViolation as error:
            return Refused(error.message, error.triple)
        return Compensated(changes, self.index.follow(changes))

    @property
    def _with_foreign(self) -> WithForeign:
        return WithForeign(self.repository, self.stream.foreign)


def _net(changes: Iterable[Changes]) -> Changes:
    net = NetChanges()
    for each in changes:
        net.include(each)
    return net.changes
