"""Rules that survive: a repository and a rulebook in memory, kept on disk by the node's one writer.

Every request runs on the writer's thread, inside the transaction that keeps what it does; many requests share one
commit. Its future is resolved when that commit is on disk. A crash therefore finds the whole of a schedule or nothing
of it, however many rules it set off.

Error handling: memory is ahead of the disk until the commit. Where a commit fails, what is in memory is not to be
trusted any more, and before the next request all of it is read again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from functools import partial
from typing import TypeVar

import msgspec
from msgspec import Struct
from pyoxigraph import RdfFormat, parse

from triplewire.errors import StoreError, UnknownRule
from triplewire.languages.rdftl import parse_rule
from triplewire.languages.rdftl.syntax import Rule, Update
from triplewire.rdf.terms import Triple
from triplewire.rules.changes import Changes
from triplewire.rules.execution import Entry, Limits, Outcome, Rulebook, Runner
from triplewire.rules.execution.units import Commutes, none_commutes
from triplewire.rules.repository import Repository
from triplewire.rules.schema import Schema
from triplewire.store import changes, facts, rulebook
from triplewire.store.clock import Clock, SystemClock
from triplewire.store.database import Database
from triplewire.store.disk import Connection
from triplewire.store.rulebook import FiringRecord, RuleRecord

_T = TypeVar("_T")
_SCHEMA = "rules schema"

Also = Callable[[Connection, Outcome], None]
CommutesFor = Callable[[Rulebook], Commutes]


class Told(Struct, frozen=True, kw_only=True):
    """A firing in words and lines of N-Triples, as it is kept."""

    transaction: str
    cause: str
    depth: int
    delta: dict[str, str]
    status: str
    error: str | None
    inserted: tuple[str, ...]
    deleted: tuple[str, ...]


class _Memory(Struct):
    """What is asked and changed."""

    repository: Repository
    rules: Rulebook
    runner: Runner


def nobody_commutes(_rules: Rulebook) -> Commutes:
    """The careful answer, whatever the rules are."""
    return none_commutes


def nothing_else(_connection: Connection, _outcome: Outcome) -> None:
    """A schedule alone."""


class RuleHost:
    """A node's repository and rules. `commutes` is asked again whenever the rules have changed."""

    def __init__(
        self,
        database: Database,
        *,
        limits: Limits | None = None,
        commutes: CommutesFor = nobody_commutes,
        clock: Clock | None = None,
    ) -> None:
        self._database = database
        self._limits = limits or Limits()
        self._commutes = commutes
        self._clock = clock or SystemClock()
        self._lock = threading.RLock()
        self._memory = database.read(self._read_all)
        self._is_stale = False

    # Asking

    def read(self, question: Callable[[Repository], _T]) -> _T:
        """Ask the repository between two schedules, never in the middle of one."""
        with self._lock:
            return question(self._memory.repository)

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Every rule, names resolved, in the order of registration."""
        with self._lock:
            return tuple(registered.rule for registered in self._memory.rules)

    @property
    def schema(self) -> Schema:
        with self._lock:
            return self._memory.repository.schema

    def firings(self, rule: str, after: int = 0, limit: int = 100) -> list[tuple[FiringRecord, Told]]:
        """What a rule has done, oldest first. Raises `UnknownRule`."""
        if self._database.read(partial(rulebook.find, rule=rule)) is None:
            raise UnknownRule(f"wanted the rule {rule!r}, found none of that name")
        found = self._database.read(lambda connection: rulebook.firings(connection, rule, after, limit))
        return [(record, msgspec.json.decode(record.entry, type=Told)) for record in found]

    # Changing

    def set_schema(self, schema: Schema) -> Future[None]:
        """Use another schema, if everything that is kept conforms to it and every rule can be read by it."""
        return self._submit(lambda connection: self._set_schema(connection, schema))

    def put_rule(self, rule: str, text: str, owner: str) -> Future[Rule]:
        """Register a rule, or replace the one of that name. A rule that is refused changes nothing."""
        return self._submit(lambda connection: self._put_rule(connection, rule, text, owner))

    def remove_rule(self, rule: str) -> Future[None]:
        """Forget a rule. Raises `UnknownRule`."""
        return self._submit(lambda connection: self._remove_rule(connection, rule))

    def execute(self, updates: Sequence[Update], also: Also = nothing_else) -> Future[Outcome]:
        """Execute a schedule. `also` may write more in the same transaction, such as the events that tell of it."""
        return self._submit(lambda connection: self._execute(connection, updates, also))

    def _submit(self, work: Callable[[Connection], _T]) -> Future[_T]:
        def locked(connection: Connection) -> _T:
            with self._lock:
                if self._is_stale:
                    self._memory = self._read_all(connection)
                    self._is_stale = False
                return work(connection)

        future = self._database.writer.submit(locked)
        future.add_done_callback(self._look_back)
        return future

    def _look_back(self, future: Future[_T]) -> None:
        """Called on the writer's thread, before it takes anything else."""
        if isinstance(future.exception(), StoreError):
            self._is_stale = True

    def _execute(self, connection: Connection, updates: Sequence[Update], also: Also) -> Outcome:
        outcome = self._memory.runner.run(updates)
        try:
            edits = outcome.changes.edits
            inserted, deleted = _lines(edits.inserted), _lines(edits.deleted)
            schedule = changes.record(connection, self._clock.now().timestamp(), inserted, deleted)
            rulebook.note_firings(connection, schedule.position, _told(outcome))
            also(connection, outcome)
        except BaseException:
            self._is_stale = True
            raise
        return outcome

    def _set_schema(self, connection: Connection, schema: Schema) -> None:
        memory = self._loaded(schema, _read_assertions(connection), rulebook.everyone(connection))
        facts.put(connection, _SCHEMA, "\n".join(sorted(f"{triple} ." for triple in schema.triples)))
        self._memory = memory

    def _put_rule(self, connection: Connection, rule: str, text: str, owner: str) -> Rule:
        known = self._memory.rules.replace(parse_rule(text, id=rule))
        rulebook.put(connection, RuleRecord(rule, owner, text, self._clock.now().timestamp()))
        self._memory.runner = self._runner(self._memory.repository, self._memory.rules)
        return known

    def _remove_rule(self, connection: Connection, rule: str) -> None:
        self._memory.rules.remove(rule)
        rulebook.delete(connection, rule)
        self._memory.runner = self._runner(self._memory.repository, self._memory.rules)

    # Reading it all

    def _read_all(self, connection: Connection) -> _Memory:
        text = facts.get(connection, _SCHEMA)
        schema = Schema(()) if text is None else Schema.parse(text, format="ntriples")
        return self._loaded(schema, _read_assertions(connection), rulebook.everyone(connection))

    def _loaded(self, schema: Schema, assertions: Iterable[Triple], records: Iterable[RuleRecord]) -> _Memory:
        repository = Repository(schema)
        repository.load(assertions)
        rules = Rulebook(schema, (parse_rule(record.text, id=record.id) for record in records))
        return _Memory(repository, rules, self._runner(repository, rules))

    def _runner(self, repository: Repository, rules: Rulebook) -> Runner:
        return Runner(repository, rules, limits=self._limits, commutes=self._commutes(rules))


def _lines(triples: Iterable[Triple]) -> list[str]:
    return [str(triple) for triple in triples]


def _read_assertions(connection: Connection) -> list[Triple]:
    text = "".join(f"{line} .\n" for line in changes.assertions(connection))
    return [quad.triple for quad in parse(text.encode(), RdfFormat.N_TRIPLES)]


def _told(outcome: Outcome) -> Iterator[tuple[str, bytes]]:
    names = {entry.number: entry.rule or entry.transaction for entry in outcome.entries}
    for entry in outcome.entries:
        if entry.rule is not None and entry.cause is not None:
            yield entry.rule, msgspec.json.encode(_in_words(entry, names[entry.cause]))


def _in_words(entry: Entry, cause: str) -> Told:
    done: list[Changes] = [deed.changes for deed in entry.deeds]
    return Told(
        transaction=entry.transaction,
        cause=cause,
        depth=entry.depth,
        delta={component.value or "delta": str(term) for component, term in (entry.delta or {}).items()},
        status=entry.status.value,
        error=None if entry.error is None else str(entry.error),
        inserted=tuple(str(triple) for one in done for triple in one.inserted),
        deleted=tuple(str(triple) for one in done for triple in one.deleted),
    )
