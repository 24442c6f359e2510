"""The living graph and its rules as the database has them.

Whatever changes them runs on the writer's thread, inside the transaction that keeps the change; many requests share one
commit. A request's future is resolved when that commit is on disk. A crash therefore finds the whole of a change or
nothing of it, however many rules it set off.

Error handling: memory is ahead of the disk until the commit. A request that is refused is rolled back in memory as in
the database. Where a commit fails, memory is not to be trusted any more, and all of it is read again before the next
request.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from functools import partial
from itertools import islice
from typing import TypeVar

from pyoxigraph import RdfFormat, parse

from triplewire.errors import StoreError, TriplewireError
from triplewire.languages.rdftl import parse_rule
from triplewire.node.living.changes import Follower, NoFollower
from triplewire.node.living.compaction import Compactions
from triplewire.node.living.graph import LivingGraph
from triplewire.node.living.reporting import NoReporter, Reporter
from triplewire.node.rules.withdrawal import PendingUpdates
from triplewire.node.store import Store
from triplewire.rdf.terms import NamedNode, Quad, Term
from triplewire.rules.changes import Changes
from triplewire.rules.execution import Limits
from triplewire.rules.schema import Schema
from triplewire.store.disk import Connection
from triplewire.store.tables import federation, living_graph, metadata, rule_records

T = TypeVar("T")
Work = Callable[[Connection, LivingGraph], T]
_SCHEMA = "rules schema"
_CHUNK = 50_000
_REST_SECONDS = 10.0


class LivingStore:
    """A node's living graph. Reads everything that is there when it is made, which takes a while."""

    def __init__(self, store: Store, limits: Limits | None = None) -> None:
        self._store = store
        self._limits = limits or Limits()
        self._lock = threading.RLock()
        # Updates that were submitted under a key, for those who may want them back.
        self.pending = PendingUpdates()
        self._follower: Follower = NoFollower()
        self._reporter: Reporter = NoReporter()
        self._living = store.read_blocking(self._loaded)
        self._is_stale = False
        # The position of the last change that is on the disk.
        self.head = self._living.position
        # Called on the writer's thread when it has moved.
        self.listeners: list[Callable[[], None]] = []
        self.compactions = Compactions(self)

    def read(self, question: Callable[[LivingGraph], T]) -> T:
        """Ask the living graph between two transactions, never in the middle of one."""
        with self._lock:
            return question(self._living)

    def follow(self, follower: Follower) -> None:
        """Have changes told to somebody in the transactions that keep them. Before anything changes. Blocks."""

        def begin(tx: Connection) -> None:
            with self._lock:
                self._follower = self._living.follower = follower
                follower.reloaded(tx, self._living.dataset)

        self._store.read_blocking(begin)

    def report(self, reporter: Reporter) -> None:
        """Have changes reported to somebody in the transactions that keep them. Blocks until none is under way."""

        def begin(tx: Connection, living: LivingGraph) -> None:
            self._reporter = living.reporter = reporter
            reporter.reloaded(tx, living)

        self.submit_alone(begin).result()

    @property
    def living(self) -> LivingGraph:
        """The living graph, for work under way."""
        return self._living

    @property
    def size(self) -> int:
        """How many quads hold. Waits for nobody."""
        return self._living.size

    @property
    def has_event_triggers(self) -> bool:
        """Whether events trigger a rule. Waits for nobody."""
        return len(self._living.triggers) > 0

    @property
    def interests(self) -> Mapping[str, tuple[str, ...]]:
        """For each rule that events trigger, queries; an event that may trigger it matches one. Waits for nobody."""
        return self._living.triggers.interests

    def submit(self, work: Work[T], then: Callable[[T], None] = lambda _: None) -> Future[T]:
        """Run `work` in a transaction. If it raises, neither the database nor the living graph keeps anything of it.

        `then` is called after the commit, on the writer's thread.
        """
        return self._checked(self._store.submit(partial(self._run, work), partial(self._committed, then)))

    def submit_alone(self, work: Work[T], then: Callable[[T], None] = lambda _: None) -> Future[T]:
        """The same in a commit of its own: for work whose `then` changes what later work depends on."""
        return self._checked(self._store.submit_alone(partial(self._run, work), partial(self._committed, then)))

    def _checked(self, future: Future[T]) -> Future[T]:
        future.add_done_callback(self._check_commit)
        return future

    def _committed(self, then: Callable[[T], None], result: T) -> None:
        then(result)
        self._follower.committed()
        self._reporter.committed()
        if self.head != self._living.position:
            self.head = self._living.position
            for listener in self.listeners:
                listener()
            self.compactions.check(self._living)

    def snapshot(
        self, read: Callable[[int, Iterator[Quad]], T], at_rest: Callable[[LivingGraph], None] = lambda _: None
    ) -> T:
        """Read everything that holds at a position that is on the disk. Blocks; not for the event loop.

        `at_rest` is called on the writer's thread when it is at that position. The writer waits only until the
        iteration has begun: Oxigraph iterates over what was there then, and wants one thread for all of it.
        """
        rests, begun = threading.Event(), threading.Event()

        def rest(tx: Connection, living: LivingGraph) -> None:
            # Alone in its commit, so that memory is as the disk is.
            at_rest(living)
            rests.set()
            begun.wait(_REST_SECONDS)

        resting = self._store.submit_alone(partial(self._run, rest))
        resting.add_done_callback(lambda _: rests.set())
        rests.wait()
        try:
            position, store = self._living.position, self._living.repository.store
            quads = iter(store.quads_for_pattern(None, None, None, None))
        finally:
            begun.set()
        resting.result()
        return read(position, quads)

    def use_schema(self, tx: Connection, schema: Schema) -> Changes:
        """Use another schema, if everything that is kept conforms to it and every rule can be read by it.

        For work under way. What follows by the one schema and not by the other is what has changed.
        """
        before, after = self._living, self._with_schema(tx, schema)
        metadata.put(tx, _SCHEMA, "\n".join(sorted(f"{triple} ." for triple in schema.triples)))
        self._living = after
        derived, derived_before = after.repository.derived, before.repository.derived
        return Changes(inserted=tuple(derived - derived_before), deleted=tuple(derived_before - derived))

    def _run(self, work: Work[T], tx: Connection) -> T:
        with self._lock:
            if self._is_stale:
                self._living = self._loaded(tx)
                self._follower.reloaded(tx, self._living.dataset)
                self._reporter.reloaded(tx, self._living)
                self._is_stale = False
            living = self._living
            living.begin()
            self._reporter.begin()
            try:
                return work(tx, living)
            except BaseException as problem:
                living.roll_back()
                if self._living is not living:
                    self._living = living
                    self._follower.rolled_back(living.position, living.dataset)
                    self._reporter.rolled_back()
                if isinstance(problem, TriplewireError):
                    # Its frames hold iterators of Oxigraph's, which belong to this thread; it goes to another.
                    problem.__traceback__ = problem.__context__ = None
                else:
                    # A bug may have stopped anywhere.
                    self._is_stale = True
                raise

    def _check_commit(self, future: Future[T]) -> None:
        """Called on the writer's thread, before it begins anything else."""
        if isinstance(future.exception(), StoreError):
            self._is_stale = True

    def _loaded(self, tx: Connection) -> LivingGraph:
        text = metadata.get(tx, _SCHEMA)
        return self._with_schema(tx, Schema(()) if text is None else Schema.parse(text, format="ntriples"))

    def _with_schema(self, tx: Connection, schema: Schema) -> LivingGraph:
        elsewhere = classes_elsewhere(federation.foreign_classes(tx))
        living = LivingGraph(schema, _parsed(living_graph.quads(tx)), self._limits, living_graph.head(tx), elsewhere)
        living.follower, living.reporter = self._follower, self._reporter
        for record in rule_records.everyone(tx):
            living.owners[record.id] = record.owner
            if record.quarantined is None:
                living.put(parse_rule(record.text, id=record.id), record.owner, record.since)
        return living


def classes_elsewhere(pairs: Iterable[tuple[str, str]]) -> dict[Term, frozenset[NamedNode]]:
    """Classes of resources that other sites describe, as they were kept."""
    found: dict[Term, frozenset[NamedNode]] = {}
    for node, cls in pairs:
        found[NamedNode(node)] = found.get(NamedNode(node), frozenset()) | {NamedNode(cls)}
    return found


def _parsed(lines: Iterable[str]) -> Iterator[Quad]:
    rest = iter(lines)
    while chunk := list(islice(rest, _CHUNK)):
        yield from parse("".join(f"{line} .\n" for line in chunk).encode(), RdfFormat.N_QUADS)
