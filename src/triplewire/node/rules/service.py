"""RDFTL rules on a node: a schema, rules and a repository that survive, and whose changes are published.

Everything that changes goes through `RuleHost`, on the writer's thread. Whatever asks it goes to another thread than
the event loop's, since it may have to wait for a schedule.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import TypeVar

from msgspec import Struct

from triplewire.errors import DuplicateRule, InputError, QuotaExceeded, UnknownRule
from triplewire.languages.rdftl.syntax import Rule, Update
from triplewire.node.broker.core import Core
from triplewire.node.broker.events import Events
from triplewire.node.rules.event_listener import Hearing
from triplewire.node.rules.idempotency import AnsweredBefore, Once
from triplewire.node.rules.publication import Publication, Told
from triplewire.node.rules.registration_report import Report, commuting, report
from triplewire.node.rules.rights import NOTHING, parties_of, require_author
from triplewire.rules.execution import Limits, Outcome
from triplewire.rules.hosting import RuleHost
from triplewire.rules.listening import Hears
from triplewire.rules.repository import Repository
from triplewire.rules.schema import Schema
from triplewire.rules.telling import Told as Firing
from triplewire.store.clock import Clock
from triplewire.store.database import Database
from triplewire.store.disk import Connection
from triplewire.store.tables import changes, rulebook
from triplewire.store.tables.identities import Client
from triplewire.store.tables.rulebook import FiringRecord, RuleRecord

T = TypeVar("T")
# While a schedule is executed nothing else is written, so it may take as long as publishers can bear.
RULE_SECONDS = 2.0
LIMITS = Limits(updates=10_000, edits=20_000, seconds=RULE_SECONDS)


def rule_host(database: Database, clock: Clock, limits: Limits = LIMITS) -> RuleHost:
    """What a node keeps of rules. Reads everything that is there, which takes a while."""
    return RuleHost(database, limits=limits, commutes=commuting, clock=clock)


class Executed(Struct, frozen=True):
    """What came of updates, and the events that tell of it. `schedule` is its place in the journal."""

    schedule: int
    outcome: Outcome
    events: tuple[Told, ...]


# An answer to what was executed; and, in its transaction: may it be executed, and what else is to be kept.
Answer = Callable[[Executed], bytes]
Check = Callable[[Connection], None]
Keep = Callable[[Connection, Executed], None]


class Registered(Struct, frozen=True):
    """A rule as it is kept, whether it is new, and what the analysis says; None if it was replaced meanwhile."""

    record: RuleRecord
    is_new: bool
    analysis: Report | None


class Rules:
    """The rules of a broker. `begin` and `end` it on the event loop."""

    def __init__(self, core: Core, events: Events, host: RuleHost) -> None:
        self._core = core
        self._events = events
        self._host = host
        self._hearing = Hearing(core, events, host, self._tell_if_silenced)
        # Told on the event loop that other rules listen now, or the same ones to something else.
        self.followers: list[Callable[[], None]] = []
        self._told = host.interests

    def begin(self) -> None:
        """Begin to listen to published events, for the rules that do."""
        self._hearing.begin()

    async def end(self) -> None:
        """Listen no longer; the next process goes on."""
        await self._hearing.end()

    @property
    def heard(self) -> int:
        """The position of the log up to which rules that listen have heard."""
        return self._hearing.position

    @property
    def interests(self) -> Mapping[str, tuple[str, ...]]:
        """For each rule that listens, queries of which every event that may trigger it matches one."""
        return self._host.interests

    # Rules

    async def put(self, client: Client, rule: str, text: str, hears: Hears) -> Registered:
        """Register a rule, or replace one's own. The analysis reports and refuses nothing."""
        require_author(client)
        self._core.know(client)
        check = _Mine(client)
        known = await self._done(self._host.put_rule(rule, text, client.id, hears, check.may_put))
        self._hearing.look()
        self._tell()
        analysis = await asyncio.to_thread(self._reported, known.rule)
        return Registered(known.record, check.found is None, analysis)

    async def remove(self, client: Client, rule: str) -> None:
        """Forget a rule and its firings."""
        await self._done(self._host.remove_rule(rule, _Mine(client).may_remove))
        self._tell()

    async def remove_all(self, owner: str) -> None:
        """Forget the rules of a client that is gone."""
        for record in await self._core.store.read(lambda tx: rulebook.owned_by(tx, owner)):
            await self._done(self._host.remove_rule(record.id))
        self._tell()

    async def find(self, client: Client, rule: str) -> RuleRecord:
        """A client's rule, or anybody's for an administrator; otherwise `UnknownRule`."""
        record = await self._core.store.read(lambda tx: rulebook.find(tx, rule))
        return _visible(client, rule, record)

    async def listed(self, client: Client) -> list[RuleRecord]:
        """A client's rules, or everybody's for an administrator."""
        if client.rights.is_admin:
            return await self._core.store.read(rulebook.everyone)
        return await self._core.store.read(lambda tx: rulebook.owned_by(tx, client.id))

    async def firings(self, client: Client, rule: str, after: int, limit: int) -> list[tuple[FiringRecord, Firing]]:
        """What a rule has done, oldest first."""
        # A firing shows what it read, as a query's answer does.
        require_author(client)
        await self.find(client, rule)
        return await asyncio.to_thread(self._host.firings, rule, after, limit)

    # Updates and the schema

    async def update(self, client: Client, updates: Sequence[Update]) -> Executed:
        """Execute a schedule; the answer comes when it is on the disk, with the events that tell of it."""
        return await self._updated(client, updates, lambda _: None, lambda _, __: None)

    async def update_once(self, client: Client, updates: Sequence[Update], once: Once, answer: Answer) -> bytes:
        """The same under an idempotency key: what was answered the first time, or what is answered now."""
        given = b""

        def keep(connection: Connection, executed: Executed) -> None:
            nonlocal given
            given = answer(executed)
            once.remember(connection, given, self._core.date.time())

        try:
            await self._updated(client, updates, once.check, keep)
        except AnsweredBefore as before:
            return before.answer
        return given

    async def _updated(self, client: Client, updates: Sequence[Update], check: Check, keep: Keep) -> Executed:
        require_author(client)
        self._core.know(client)
        if not updates:
            raise InputError("wanted at least one update, found none")
        self._events.buckets.take(client, len(updates))
        published = Publication(self._core, self._events, client.id, client.rights.publish or NOTHING)

        def plan(connection: Connection, _: Repository) -> Sequence[Update]:
            check(connection)
            return updates

        def write(connection: Connection, outcome: Outcome) -> None:
            published.write(connection, outcome)
            keep(connection, Executed(published.schedule, outcome, published.events))

        parties = parties_of(client.id, self._core.clients)
        outcome = await self._done(self._host.execute_planned(plan, write, published.committed, parties))
        self._tell_if_silenced()
        return Executed(published.schedule, outcome, published.events)

    async def set_schema(self, schema: Schema) -> None:
        """Use another schema, if the repository conforms to it and every rule can be read by it."""
        await self._done(self._host.set_schema(schema))
        self._tell()

    async def schema(self) -> Schema:
        """The schema that the repository conforms to."""
        return await asyncio.to_thread(lambda: self._host.schema)

    async def forget(self, age: float | None) -> None:
        """Drop the journal of schedules, and the firings in them, that are older than that; the repository stays."""
        if age is None:
            return
        before = self._core.clock.now().timestamp() - age
        last = await self._core.store.read(lambda tx: changes.last_before(tx, before))
        if last:
            await self._core.store.write(lambda tx: _forgotten(tx, last))

    # Private

    def _tell(self) -> None:
        self._told = self.interests
        for follower in self.followers:
            follower()

    def _tell_if_silenced(self) -> None:
        """A schedule may have put rules into quarantine."""
        if self.interests is not self._told:
            self._tell()

    async def _done(self, future: Future[T]) -> T:
        return await asyncio.wrap_future(future)

    def _reported(self, rule: Rule) -> Report | None:
        rules, schema = self._host.rules_and_schema
        return report(rule.id, rules, schema) if rule in rules else None


class _Mine:
    """Asked inside the transaction: may the client put or remove the rule that is there?"""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.found: RuleRecord | None = None

    def may_put(self, connection: Connection, known: RuleRecord | None) -> None:
        self.found = known
        if known is not None:
            if not _is_visible(self._client, known):
                raise DuplicateRule(f"the rule {known.id!r} is taken by another client's")
            return
        most = self._client.rights.quotas.subscriptions
        if most is not None and len(rulebook.owned_by(connection, self._client.id)) >= most:
            raise QuotaExceeded("subscriptions", f"wanted at most {most} rules, as many as subscriptions, found more")

    def may_remove(self, _connection: Connection, known: RuleRecord | None) -> None:
        if known is not None:
            _visible(self._client, known.id, known)


def _visible(client: Client, rule: str, record: RuleRecord | None) -> RuleRecord:
    if record is None or not _is_visible(client, record):
        raise UnknownRule(f"wanted the rule {rule!r}, found none of that name")
    return record


def _is_visible(client: Client, record: RuleRecord) -> bool:
    return client.rights.is_admin or record.owner == client.id


def _forgotten(connection: Connection, last: int) -> None:
    changes.forget(connection, last)
    rulebook.forget_firings(connection, last)
