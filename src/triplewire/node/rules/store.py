"""The rule engine as the database has it.

Whatever changes it runs on the writer's thread, inside the transaction that keeps the change; many requests share one
commit. A request's future is resolved when that commit is on disk. A crash therefore finds the whole of a schedule or
nothing of it, however many rules it set off.

Error handling: memory is ahead of the disk until the commit. A request that is refused is rolled back in memory as in
the database. Where a commit fails, memory is not to be trusted any more, and all of it is read again before the next
request.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from functools import partial
from typing import TypeVar

from pyoxigraph import RdfFormat, parse

from triplewire.errors import StoreError, TriplewireError
from triplewire.languages.rdftl import parse_rule
from triplewire.node.rules.engine import RuleEngine
from triplewire.node.store import Store
from triplewire.rdf.terms import Triple
from triplewire.rules.execution import Limits
from triplewire.rules.schema import Schema
from triplewire.store.disk import Connection
from triplewire.store.tables import metadata, rule_records, rule_repository

T = TypeVar("T")
Work = Callable[[Connection, RuleEngine], T]
_SCHEMA = "rules schema"


class RuleStore:
    """A node's rule engine. Reads everything that is there when it is made, which takes a while."""

    def __init__(self, store: Store, limits: Limits | None = None) -> None:
        self._store = store
        self._limits = limits or Limits()
        self._lock = threading.RLock()
        self._engine = store.read_blocking(self._loaded)
        self._is_stale = False

    def read(self, question: Callable[[RuleEngine], T]) -> T:
        """Ask the engine between two schedules, never in the middle of one."""
        with self._lock:
            return question(self._engine)

    @property
    def has_event_triggers(self) -> bool:
        """Whether events trigger a rule. Waits for nobody."""
        return len(self._engine.triggers) > 0

    @property
    def interests(self) -> Mapping[str, tuple[str, ...]]:
        """For each rule that events trigger, queries; an event that may trigger it matches one. Waits for nobody."""
        return self._engine.triggers.interests

    def submit(self, work: Work[T], then: Callable[[T], None] = lambda _: None) -> Future[T]:
        """Run `work` in a transaction. If it raises, neither the database nor the engine keeps anything of it.

        `then` is called after the commit, on the writer's thread.
        """
        future = self._store.submit(partial(self._run, work), then)
        future.add_done_callback(self._check_commit)
        return future

    def set_schema(self, schema: Schema) -> Future[None]:
        """Use another schema, if everything that is kept conforms to it and every rule can be read by it."""
        return self.submit(lambda tx, _: self._set_schema(tx, schema))

    def _run(self, work: Work[T], tx: Connection) -> T:
        with self._lock:
            if self._is_stale:
                self._engine = self._loaded(tx)
                self._is_stale = False
            self._engine.begin()
            try:
                return work(tx, self._engine)
            except BaseException as problem:
                self._engine.roll_back()
                # A bug may have stopped anywhere.
                self._is_stale = not isinstance(problem, TriplewireError)
                raise

    def _check_commit(self, future: Future[T]) -> None:
        """Called on the writer's thread, before it begins anything else."""
        if isinstance(future.exception(), StoreError):
            self._is_stale = True

    def _set_schema(self, tx: Connection, schema: Schema) -> None:
        engine = self._with_schema(tx, schema)
        metadata.put(tx, _SCHEMA, "\n".join(sorted(f"{triple} ." for triple in schema.triples)))
        self._engine = engine

    def _loaded(self, tx: Connection) -> RuleEngine:
        text = metadata.get(tx, _SCHEMA)
        return self._with_schema(tx, Schema(()) if text is None else Schema.parse(text, format="ntriples"))

    def _with_schema(self, tx: Connection, schema: Schema) -> RuleEngine:
        engine = RuleEngine(schema, _assertions(tx), self._limits)
        for record in rule_records.everyone(tx):
            engine.owners[record.id] = record.owner
            if record.quarantined is None:
                engine.put(parse_rule(record.text, id=record.id), record.owner, record.since)
        return engine


def _assertions(tx: Connection) -> list[Triple]:
    text = "".join(f"{line} .\n" for line in rule_repository.assertions(tx))
    return [quad.triple for quad in parse(text.encode(), RdfFormat.N_TRIPLES)]
