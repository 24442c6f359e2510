"""What a super-peer asks of the living graph, done as its transactions: on the writer's thread, one after the other.

An action is an update like any other: it is in the journal, its changes are published and views are told, and rules of
scope node fire. It runs under the grant of the client whose right it uses; an instance of another super-peer's rule
runs under the privileges of the group, which are looked at triple by triple. A compensation triggers nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from triplewire.errors import Forbidden, SchemaViolation, TriplewireError
from triplewire.federation.sites.detection import detect
from triplewire.federation.sites.matching import matched
from triplewire.federation.sites.planning import described_elsewhere, planned, still_described
from triplewire.federation.sites.requests import (
    Compensate,
    Compensated,
    Detect,
    Execute,
    Executed,
    Lookups,
    Match,
    Matched,
    Numbered,
    NumberedReply,
    Refused,
    Reply,
    ReportedUpdate,
)
from triplewire.node.broker.events import Events
from triplewire.node.broker.publish_step import PublishResult
from triplewire.node.broker.state import BrokerState
from triplewire.node.federation.outcomes import GraphOutcome, of_default_graph
from triplewire.node.federation.site_recorder import SiteRecorder
from triplewire.node.living.graph import LivingGraph
from triplewire.node.living.transaction import ExecutedUpdate, UpdateRequest, execute_update
from triplewire.rdf.terms import NamedNode, Term, Triple
from triplewire.rules.changes import Edits
from triplewire.rules.execution import DatasetAction, DatasetUpdate
from triplewire.rules.execution.actions import ActionEdits
from triplewire.rules.execution.dataset_updates import Check
from triplewire.rules.graphs import Graph, RecordingGraph
from triplewire.store.disk import Connection
from triplewire.store.tables import federation
from triplewire.store.tables.identities import UNLIMITED, Client, Rights

_NOTHING = PublishResult(())
_SAVEPOINT = "request"


class _Done(NamedTuple):
    reply: Reply
    updates: tuple[ReportedUpdate, ...] = ()
    accepted: PublishResult = _NOTHING


class SiteRequests:
    """Does requests. `name` is the identifier of the super-peer, which is that of its own peer, too."""

    def __init__(self, name: str, state: BrokerState, events: Events, recorder: SiteRecorder) -> None:
        self._name = name
        self._state = state
        self._events = events
        self._recorder = recorder

    def do(self, tx: Connection, living: LivingGraph, asked: Numbered) -> PublishResult | None:
        """Do a request once, and tell what came of it; one that was done is not done again. None: it is told again."""
        if asked.number <= self._recorder.stream.last_number:
            return None
        done = self._done(tx, living, asked)
        self._recorder.answer(tx, NumberedReply(asked.number, done.reply), done.updates)
        return done.accepted

    def match(self, living: LivingGraph, asked: Match) -> Matched:
        """Answer a sub-query."""
        return matched(self._name, living.repository, asked, self._recorder.stream.serial)

    # Private

    def _done(self, tx: Connection, living: LivingGraph, asked: Numbered) -> _Done:
        match asked.request:
            case Detect() as request:
                stream, repository = self._recorder.stream, living.repository
                found = detect(self._name, repository, living.schema, stream.kept, repository.elsewhere, request)
                return _Done(found)
            case Execute() as request:
                return self._or_refused(tx, living, lambda: self._execute(tx, living, request))
            case Compensate(edits):
                return self._or_refused(tx, living, lambda: self._compensate(tx, living, edits))

    def _or_refused(self, tx: Connection, living: LivingGraph, do: Callable[[], _Done]) -> _Done:
        """Do it, or say why not: then nothing of it is left."""
        elsewhere = living.repository.elsewhere
        tx.execute(f"SAVEPOINT {_SAVEPOINT}")
        try:
            done = do()
        except TriplewireError as problem:
            living.repository.elsewhere = elsewhere
            living.roll_back()
            tx.execute(f"ROLLBACK TO {_SAVEPOINT}")
            violated = problem.triple if isinstance(problem, SchemaViolation) else None
            done = _Done(Refused(problem.message, violated))
        except BaseException:
            living.repository.elsewhere = elsewhere
            raise
        tx.execute(f"RELEASE {_SAVEPOINT}")
        return done

    def _execute(self, tx: Connection, living: LivingGraph, request: Execute) -> _Done:
        repository = living.repository
        before, classes = repository.elsewhere, described_elsewhere(self._name, request.classes)
        action = _PlannedAction(self._name, living, request)
        update = DatasetUpdate(action=DatasetAction(action.plan), transaction=request.unit)
        repository.elsewhere = {**before, **classes}
        executed = self._run(tx, living, update, self._author(request))
        done = of_default_graph(executed.outcome)
        self._note(tx, living, before, still_described(classes, done.changes))
        index = self._recorder.follow(done.changes)
        reads = tuple(dict.fromkeys((*action.reads, *done.reads)))
        reply = Executed(done.wanted, done.changes, index, reads, done.checks)
        return _Done(reply, done.updates, executed.accepted)

    def _compensate(self, tx: Connection, living: LivingGraph, edits: Edits) -> _Done:
        update = DatasetUpdate(action=DatasetAction(lambda _: edits), transaction="compensation")
        executed = self._run(tx, living, update, self._nobody, fires=False)
        done: GraphOutcome = of_default_graph(executed.outcome)
        index = self._recorder.follow(done.changes)
        return _Done(Compensated(done.changes, index), done.updates, executed.accepted)

    def _run(
        self, tx: Connection, living: LivingGraph, update: DatasetUpdate, author: Client, *, fires: bool = True
    ) -> ExecutedUpdate:
        request = UpdateRequest([update], author, author.id, fires=fires, is_own=False)
        executed = execute_update(tx, living, request, self._state, self._events)
        for entry in executed.outcome.aborted:
            if entry.cause is None and entry.error is not None:
                raise entry.error
        return executed

    def _note(
        self,
        tx: Connection,
        living: LivingGraph,
        before: dict[Term, frozenset[NamedNode]],
        now: Mapping[Term, frozenset[NamedNode]],
    ) -> None:
        """Note the classes of resources to which there are arcs now, and which are described elsewhere."""
        living.repository.elsewhere = {**before, **now} if now else before
        pairs = [(node.value, cls.value) for node, classes in now.items() for cls in classes]  # type: ignore[union-attr]
        federation.put_foreign_classes(tx, pairs)

    @property
    def _nobody(self) -> Client:
        """Who does what the network asks for by the group's privileges."""
        return Client(self._name, "network", None, Rights(quotas=UNLIMITED))

    def _author(self, request: Execute) -> Client:
        """Whose right is used. What comes from outside the group, its privileges have let in."""
        if request.guard is not None or not request.owner:
            return self._nobody
        client = self._state.clients.get(request.owner)
        if client is None:
            raise Forbidden(wanted=f"the client {request.owner!r}, whose rule or transaction it is", found="none")
        return client


class _PlannedAction:
    """An action that is planned when its turn comes, and what it has read."""

    def __init__(self, site: str, living: LivingGraph, request: Execute) -> None:
        self._site = site
        self._living = living
        self._request = request
        self.reads: Lookups = ()

    def plan(self, check: Check) -> ActionEdits:
        graph = RecordingGraph(_CheckedGraph(self._living.repository, check))
        found = planned(self._site, graph, self._living.schema, self._request)
        self.reads = tuple(graph.lookups)
        return found


class _CheckedGraph:
    """A graph that is asked only as long as there is time."""

    def __init__(self, graph: Graph, check: Check) -> None:
        self._graph = graph
        self._check = check

    def match(self, subject: Term | None, predicate: NamedNode | None, target: Term | None) -> Iterable[Triple]:
        self._check()
        return self._graph.match(subject, predicate, target)

    def is_asserted(self, triple: Triple) -> bool:
        self._check()
        return self._graph.is_asserted(triple)

    def last_element(self, container: Term) -> int:
        self._check()
        return self._graph.last_element(container)
