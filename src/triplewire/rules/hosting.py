"""Rules that survive: a repository and a rulebook in memory, kept on disk by the node's one writer.

Every request runs on the writer's thread, inside the transaction that keeps what it does; many requests share one
commit. Its future is resolved when that commit is on disk. A crash therefore finds the whole of a schedule or nothing
of it, however many rules it set off.

Error handling: memory is ahead of the disk until the commit. Where a commit fails, what is in memory is not to be
trusted any more, and before the next request all of it is read again. What others' rules do does not make a schedule
fail: see `parties`, and here what they would use up.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from typing import TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from pyoxigraph import RdfFormat, parse

from triplewire.errors import (
    BudgetExceeded,
    CascadeTooLong,
    LimitExceeded,
    StoreError,
    TriplewireError,
    UnknownRule,
)
from triplewire.languages.rdftl import parse_rule
from triplewire.languages.rdftl.syntax import Rule, Update
from triplewire.rdf.terms import Triple
from triplewire.rules.execution import Limits, Outcome, Parties, Rulebook, Runner
from triplewire.rules.execution.units import Commutes, none_commutes
from triplewire.rules.listening import Hears, Listening, require_insertion
from triplewire.rules.repository import Repository
from triplewire.rules.schema import Schema
from triplewire.rules.telling import Told, told
from triplewire.store.clock import Clock, SystemClock
from triplewire.store.database import Database
from triplewire.store.disk import Connection
from triplewire.store.tables import changes, log, metadata, rulebook
from triplewire.store.tables.rulebook import FiringRecord, RuleRecord

_T = TypeVar("_T")
_SCHEMA = "rules schema"
# So often a rule may go beyond a budget in what others asked for, then it is quarantined.
MOST_FAILURES = 3
_log = logging.getLogger(__name__)

Plan = Callable[[Connection, Repository], Sequence[Update]]
Also = Callable[[Connection, Outcome], None]
Then = Callable[[Outcome], None]
# Asked with the rule that is there, if any; raises if it may not be replaced or removed.
Allow = Callable[[Connection, RuleRecord | None], None]
CommutesFor = Callable[[Rulebook], Commutes]


class Kept(Struct, frozen=True):
    """A rule with its names resolved, and as it is kept."""

    rule: Rule
    record: RuleRecord


class _Memory(Struct):
    """What is asked and changed."""

    repository: Repository
    rules: Rulebook
    listening: Listening
    runner: Runner
    owners: dict[str, str]


class _TooMuch(Exception):  # noqa: N818  the problem is what it carries
    """A schedule that was refused whole, and the rules of others that have fired in it."""

    def __init__(self, problem: TriplewireError, culprits: frozenset[str]) -> None:
        super().__init__(str(problem))
        self.problem = problem
        self.culprits = culprits


def nobody_commutes(_rules: Rulebook) -> Commutes:
    """The careful answer, whatever the rules are."""
    return none_commutes


def nothing_else(_connection: Connection, _outcome: Outcome) -> None:
    """A schedule alone."""


def nobody_told(_outcome: Outcome) -> None:
    """Nothing to do after a commit."""


def anybody(_connection: Connection, _known: RuleRecord | None) -> None:
    """Every rule may be replaced and removed."""


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

    @property
    def rules_and_schema(self) -> tuple[tuple[Rule, ...], Schema]:
        """Both at one moment: the rules' names are resolved by this schema."""
        with self._lock:
            return self.rules, self.schema

    def hearing(self, triples: Iterable[Triple], position: int) -> list[str]:
        """The rules that listen to events and that this one may trigger, given its triples and its position."""
        with self._lock:
            return self._memory.listening.hearing(triples, position)

    @property
    def listens(self) -> bool:
        """Whether a rule listens to events. Waits for nobody."""
        return len(self._memory.listening) > 0

    @property
    def interests(self) -> Mapping[str, tuple[str, ...]]:
        """For each rule that listens, queries; an event that may trigger it matches one. Waits for nobody."""
        return self._memory.listening.interests

    def listens_since(self) -> int | None:
        """The position of the log after which the first of the rules listens, if one does."""
        with self._lock:
            return self._memory.listening.earliest

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

    def put_rule(
        self, rule: str, text: str, owner: str, hears: Hears = Hears.UPDATES, allow: Allow = anybody
    ) -> Future[Kept]:
        """Register a rule, or replace the one of that name. A rule that is refused changes nothing."""
        return self._submit(
            lambda connection: self._put_rule(connection, RuleRecord(rule, owner, text, 0), hears, allow)
        )

    def remove_rule(self, rule: str, allow: Allow = anybody) -> Future[None]:
        """Forget a rule. Raises `UnknownRule`."""
        return self._submit(lambda connection: self._remove_rule(connection, rule, allow))

    def execute(
        self, updates: Sequence[Update], also: Also = nothing_else, then: Then = nobody_told
    ) -> Future[Outcome]:
        """Execute a schedule. `also` may write more in the same transaction, such as the events that tell of it.

        If it raises, nothing is executed. `then` is called after the commit, on the writer's thread.
        """
        return self.execute_planned(lambda _, __: updates, also, then)

    def execute_planned(
        self, plan: Plan, also: Also = nothing_else, then: Then = nobody_told, parties: Parties | None = None
    ) -> Future[Outcome]:
        """Execute a schedule that depends on what is there then. If `plan` raises, nothing is executed.

        The owners of the rules are known here. Without parties every rule is the author's.
        """

        def work(connection: Connection) -> Outcome:
            updates = plan(connection, self._memory.repository)
            if parties is None:
                return self._execute(connection, updates, also, Parties(is_guard=lambda _: True))
            return self._execute(connection, updates, also, parties)

        return self._submit(work, then)

    def _submit(self, work: Callable[[Connection], _T], then: Callable[[_T], None] = lambda _: None) -> Future[_T]:
        def locked(connection: Connection) -> _T:
            with self._lock:
                if self._is_stale:
                    self._memory = self._read_all(connection)
                    self._is_stale = False
                return work(connection)

        future = self._database.writer.submit(locked, then)
        future.add_done_callback(self._look_back)
        return future

    def _look_back(self, future: Future[_T]) -> None:
        """Called on the writer's thread, before it takes anything else."""
        if isinstance(future.exception(), StoreError):
            self._is_stale = True

    def _execute(self, connection: Connection, updates: Sequence[Update], also: Also, parties: Parties) -> Outcome:
        """Execute what the author asked for. Where rules of others would make it fail, it is tried without them."""
        parties = replace(parties, owners=self._memory.owners)
        failed: dict[str, str] = {}
        while True:
            try:
                outcome = self._attempt(connection, updates, also, replace(parties, silent=frozenset(failed)))
                break
            except _TooMuch as refused:
                if not refused.culprits:
                    raise refused.problem from None
                # The second time without any of them: each try takes its time.
                more = filter(parties.is_foreign, parties.owners) if failed else refused.culprits
                failed.update(dict.fromkeys(more, str(refused.problem)))
        for rule, reason in {**failed, **_over_budget(outcome, parties)}.items():
            self._note_failure(connection, rule, reason)
        return outcome

    def _note_failure(self, connection: Connection, rule: str, reason: str) -> None:
        if rulebook.note_failure(connection, rule, reason, MOST_FAILURES):
            _log.warning("the rule %s is quarantined: %s", rule, reason)
            self._silence(rule)

    def _attempt(self, connection: Connection, updates: Sequence[Update], also: Also, parties: Parties) -> Outcome:
        try:
            outcome = self._memory.runner.run(updates, parties)
        except CascadeTooLong as problem:
            others = frozenset(filter(parties.is_foreign, problem.fired))
            raise _TooMuch(problem, others & frozenset(problem.cascade[1:]) or others) from None
        connection.execute("SAVEPOINT attempt")
        try:
            self._record(connection, outcome, also)
        except LimitExceeded as problem:
            self._memory.repository.apply(outcome.changes.edits.reversed())
            connection.execute("ROLLBACK TO attempt")
            connection.execute("RELEASE attempt")
            fired = (entry.rule for entry in outcome.firings if entry.rule is not None)
            raise _TooMuch(problem, frozenset(filter(parties.is_foreign, fired))) from None
        except BaseException:
            self._memory.repository.apply(outcome.changes.edits.reversed())
            raise
        connection.execute("RELEASE attempt")
        return outcome

    def _record(self, connection: Connection, outcome: Outcome, also: Also) -> None:
        edits = outcome.changes.edits
        inserted, deleted = _lines(edits.inserted), _lines(edits.deleted)
        schedule = changes.record(connection, self._clock.now().timestamp(), inserted, deleted)
        rulebook.note_firings(connection, schedule.position, told(outcome))
        also(connection, outcome)

    def _set_schema(self, connection: Connection, schema: Schema) -> None:
        memory = self._loaded(schema, _read_assertions(connection), rulebook.everyone(connection))
        metadata.put(connection, _SCHEMA, "\n".join(sorted(f"{triple} ." for triple in schema.triples)))
        self._memory = memory

    def _put_rule(self, connection: Connection, wanted: RuleRecord, hears: Hears, allow: Allow) -> Kept:
        before = rulebook.find(connection, wanted.id)
        allow(connection, before)
        parsed = parse_rule(wanted.text, id=wanted.id)
        since = None
        if hears is Hears.EVENTS:
            require_insertion(parsed)
            since = self._memory.listening.since(wanted.id)
            since = log.head(connection) if since is None else since
        known = self._memory.rules.replace(parsed)
        self._memory.listening.put(known, since)
        self._memory.owners[wanted.id] = wanted.owner
        # To put the same again changes nothing, and so not the time of registration.
        is_same = before is not None and before.text == wanted.text
        registered = before.registered if before is not None and is_same else self._clock.now().timestamp()
        record = replace(wanted, registered=registered, since=since)
        rulebook.put(connection, record)
        self._memory.runner = self._runner(self._memory.repository, self._memory.rules)
        return Kept(known, record)

    def _remove_rule(self, connection: Connection, rule: str, allow: Allow) -> None:
        known = rulebook.find(connection, rule)
        allow(connection, known)
        if known is None:
            raise UnknownRule(f"wanted the rule {rule!r}, found none of that name")
        self._silence(rule)
        self._memory.owners.pop(rule, None)
        rulebook.delete(connection, rule)

    def _silence(self, rule: str) -> None:
        """Let a rule fire no longer."""
        if rule in self._memory.rules:
            self._memory.rules.remove(rule)
        self._memory.listening.remove(rule)
        self._memory.runner = self._runner(self._memory.repository, self._memory.rules)

    # Reading it all

    def _read_all(self, connection: Connection) -> _Memory:
        text = metadata.get(connection, _SCHEMA)
        schema = Schema(()) if text is None else Schema.parse(text, format="ntriples")
        return self._loaded(schema, _read_assertions(connection), rulebook.everyone(connection))

    def _loaded(self, schema: Schema, assertions: Iterable[Triple], records: Iterable[RuleRecord]) -> _Memory:
        repository = Repository(schema)
        repository.load(assertions)
        rules, listening = Rulebook(schema), Listening(schema)
        owners = {}
        for record in records:
            owners[record.id] = record.owner
            if record.quarantined is None:
                listening.put(rules.add(parse_rule(record.text, id=record.id)), record.since)
        return _Memory(repository, rules, listening, self._runner(repository, rules), owners)

    def _runner(self, repository: Repository, rules: Rulebook) -> Runner:
        return Runner(repository, rules, limits=self._limits, commutes=self._commutes(rules))


def _over_budget(outcome: Outcome, parties: Parties) -> dict[str, str]:
    """The rules of others that went beyond the budget, each with the reason."""
    return {
        entry.rule: str(entry.error)
        for entry in outcome.aborted
        if entry.rule is not None and isinstance(entry.error, BudgetExceeded) and parties.is_foreign(entry.rule)
    }


def _lines(triples: Iterable[Triple]) -> list[str]:
    return [str(triple) for triple in triples]


def _read_assertions(connection: Connection) -> list[Triple]:
    text = "".join(f"{line} .\n" for line in changes.assertions(connection))
    return [quad.triple for quad in parse(text.encode(), RdfFormat.N_TRIPLES)]
