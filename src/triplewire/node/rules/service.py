"""RDFTL rules on a node: a schema and rules that survive, over the living graph.

Everything that changes goes through the living store, on the writer's thread. Whatever asks it goes to another thread
than the event loop's, since it may have to wait for a schedule.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from msgspec.structs import replace

from triplewire.errors import InputError, UnknownSchedule, UnknownUpdate
from triplewire.languages.rdftl.syntax import Rule, Update
from triplewire.node.broker.events import Events
from triplewire.node.broker.publish_step import PublishResult
from triplewire.node.broker.state import BrokerState
from triplewire.node.living import journal
from triplewire.node.living.graph import LivingGraph
from triplewire.node.living.journal import FiringEntry
from triplewire.node.living.store import LivingStore, Work
from triplewire.node.living.transaction import ExecutedUpdate, UpdateRequest, change_schema, execute_update
from triplewire.node.rules.analysis_report import analysis_report
from triplewire.node.rules.event_listener import EventListener
from triplewire.node.rules.idempotency import IdempotencyKey
from triplewire.node.rules.registration import (
    RuleRegistration,
    find_visible,
    put_rule,
    remove_rule,
    require_registrable,
)
from triplewire.node.rules.registration_report import RegistrationReport, report
from triplewire.node.rules.rights import require_author
from triplewire.node.rules.withdrawal import Phase, ended
from triplewire.rules.event_triggers import TriggeredBy
from triplewire.rules.execution import Limits
from triplewire.rules.schema import Schema
from triplewire.store.disk import Connection
from triplewire.store.tables import idempotency_keys, rule_records
from triplewire.store.tables.identities import Client
from triplewire.store.tables.rule_records import FiringRecord, RuleRecord
from triplewire.wire.console import RuleAnalysis
from triplewire.wire.schedules import TracedSchedule

T = TypeVar("T")
# While a schedule is executed nothing else is written, so it may take as long as publishers can bear.
RULE_SECONDS = 2.0
LIMITS = Limits(updates=10_000, edits=20_000, seconds=RULE_SECONDS)


class Rules:
    """The rules of a broker. `begin` and `end` it on the event loop."""

    def __init__(self, state: BrokerState, events: Events, store: LivingStore) -> None:
        self._state = state
        self._events = events
        self._store = store
        self._listener = EventListener(state, events, store, self._notify_if_disabled)
        # Called on the event loop when events trigger other rules now, or other events the same ones.
        self.followers: list[Callable[[], None]] = []
        self._followed = store.interests

    def begin(self) -> None:
        """Let published events trigger the rules that listen to them."""
        self._listener.begin()

    async def end(self) -> None:
        """Listen no longer; the next process goes on."""
        await self._listener.end()

    @property
    def listener_position(self) -> int:
        """The position of the log up to which rules that listen have got the events."""
        return self._listener.position

    @property
    def interests(self) -> Mapping[str, tuple[str, ...]]:
        """For each rule that listens, queries of which every event that may trigger it matches one."""
        return self._store.interests

    # Rules

    async def put(
        self, client: Client, rule: str, text: str, triggered_by: TriggeredBy
    ) -> tuple[RuleRegistration, RegistrationReport | None]:
        """Register a rule, or replace one's own, and report what the analysis says, which refuses nothing.

        Without a report, the rule was replaced meanwhile, or there is no schema.
        """
        require_author(client)
        self._state.know(client)
        wanted = RuleRecord(rule, client.id, text, self._state.clock.now().timestamp())

        def register(tx: Connection, living: LivingGraph) -> RuleRegistration:
            require_registrable(tx, client, rule)
            return put_rule(tx, living, wanted, triggered_by)

        made = await self._write(register)
        self._listener.wake()
        self._notify_followers()
        analysis = await asyncio.to_thread(self._reported, made.rule)
        return made, analysis

    async def remove(self, client: Client, rule: str) -> None:
        """Forget a rule and its firings."""

        def remove(tx: Connection, living: LivingGraph) -> None:
            find_visible(tx, client, rule)
            remove_rule(tx, living, rule)

        await self._write(remove)
        self._notify_followers()

    async def remove_all(self, owner: str) -> None:
        """Forget the rules of a client that is gone."""

        def remove(tx: Connection, living: LivingGraph) -> None:
            for record in rule_records.owned_by(tx, owner):
                remove_rule(tx, living, record.id)

        await self._write(remove)
        self._notify_followers()

    async def find(self, client: Client, rule: str) -> RuleRecord:
        """A client's rule, or anybody's for an administrator; otherwise `UnknownRule`."""
        return await self._state.store.read(lambda tx: find_visible(tx, client, rule))

    async def listed(self, client: Client) -> list[RuleRecord]:
        """A client's rules, or everybody's for an administrator."""
        if client.rights.is_admin:
            return await self._state.store.read(rule_records.everyone)
        return await self._state.store.read(lambda tx: rule_records.owned_by(tx, client.id))

    async def firings(
        self, client: Client, rule: str, after: int, limit: int
    ) -> list[tuple[FiringRecord, FiringEntry]]:
        """What a rule has done, oldest first."""
        # A firing shows what it read, as a query's answer does.
        require_author(client)
        await self.find(client, rule)
        return await self._state.store.read(lambda tx: journal.firings(tx, rule, after, limit))

    async def trace(self, client: Client, position: int) -> TracedSchedule:
        """How a schedule went. Raises `UnknownSchedule`."""
        require_author(client)
        found = await self._state.store.read(lambda tx: journal.trace(tx, position))
        return _found(found, f"the schedule {position:,}")

    async def trace_of(self, client: Client, transaction: str) -> TracedSchedule:
        """How the last schedule with a transaction of that name went. Raises `UnknownSchedule`."""
        require_author(client)
        found = await self._state.store.read(lambda tx: journal.trace_of(tx, transaction))
        return _found(found, f"a schedule with the transaction {transaction!r}")

    async def analysis(self, client: Client, more: Sequence[Rule] = ()) -> RuleAnalysis:
        """What the analysis says of a client's rules, or an administrator's of all.

        `more` are looked at with them, as if they were registered, instead of any of the same names.
        """
        require_author(client)
        visible = {record.id for record in await self.listed(client)}
        given = {rule.id for rule in more}

        def question(living: LivingGraph) -> tuple[list[Rule], Schema]:
            kept = [each.rule for each in living.rules if each.rule.id in visible - given]
            return [*kept, *more], living.schema

        return await asyncio.to_thread(analysis_report, *await self._read(question))

    # Updates and the schema

    async def update(self, client: Client, updates: Sequence[Update]) -> ExecutedUpdate:
        """Execute a schedule; the answer comes when it is on the disk, with the events that describe its changes."""
        request = self._requested(client, updates)
        executed = await self._write(
            lambda tx, living: execute_update(tx, living, request, self._state, self._events),
            lambda executed: self._events.committed(executed.accepted),
        )
        self._notify_if_disabled()
        return executed

    async def update_once(
        self, client: Client, updates: Sequence[Update], key: IdempotencyKey, answer: Callable[[ExecutedUpdate], bytes]
    ) -> bytes:
        """The same under an idempotency key: what was answered the first time, or what is answered now."""
        request = self._requested(client, updates)

        def execute_once(tx: Connection, living: LivingGraph) -> tuple[bytes, PublishResult]:
            answered = key.find_answer(tx)
            if answered is not None:
                return answered, PublishResult(())
            with withdrawal.executing():
                executed = execute_update(
                    tx, living, replace(request, interrupt=withdrawal.check), self._state, self._events
                )
            given = answer(executed)
            key.keep_answer(tx, given, self._state.date.time())
            return given, executed.accepted

        with self._store.pending.entered(client.id, key.key) as withdrawal:
            given, _ = await self._write(execute_once, lambda done: self._events.committed(done[1]))
        self._notify_if_disabled()
        return given

    async def withdraw(self, client: Client, key: str) -> Phase:
        """Withdraw the update that a client has sent under a key: what it was doing. It is not done any more.

        Raises `UpdateEnded` if it is done or about to be committed, and `UnknownUpdate` if there is none.
        """
        phase = self._store.pending.withdraw(client.id, key)
        if phase is not None:
            return phase
        if await self._state.store.read(lambda tx: idempotency_keys.find(tx, client.id, key)) is None:
            raise UnknownUpdate(wanted=f"an update under the key {key!r}", found="none")
        raise ended(key)

    async def set_schema(self, client: Client, schema: Schema) -> None:
        """Use another schema, if the default graph conforms to it and every rule can be read by it."""

        def change(tx: Connection, _: LivingGraph) -> PublishResult:
            return change_schema(tx, self._store, schema, client.id, self._state, self._events)

        await self._write(change, self._events.committed)
        self._notify_followers()

    async def schema(self) -> Schema:
        """The schema that the default graph conforms to."""
        return await self._read(lambda living: living.schema)

    # Private

    def _requested(self, client: Client, updates: Sequence[Update]) -> UpdateRequest:
        require_author(client)
        self._state.know(client)
        if not updates:
            raise InputError(wanted="at least one update", found="none")
        self._events.buckets.take(client, len(updates))
        return UpdateRequest(updates, client, client.id)

    async def _read(self, question: Callable[[LivingGraph], T]) -> T:
        return await asyncio.to_thread(self._store.read, question)

    async def _write(self, work: Work[T], then: Callable[[T], None] = lambda _: None) -> T:
        return await asyncio.wrap_future(self._store.submit(work, then))

    def _notify_followers(self) -> None:
        self._followed = self.interests
        for follower in self.followers:
            follower()

    def _notify_if_disabled(self) -> None:
        """A schedule may have put rules into quarantine."""
        if self.interests is not self._followed:
            self._notify_followers()

    def _reported(self, rule: Rule) -> RegistrationReport | None:
        rules, schema = self._store.read(lambda living: ([each.rule for each in living.rules], living.schema))
        # The analysis reads paths through the schema: without one there is nothing that it could say for sure.
        return report(rule.id, rules, schema) if rule in rules and not schema.is_empty else None


def _found(found: TracedSchedule | None, wanted: str) -> TracedSchedule:
    if found is None:
        raise UnknownSchedule(wanted=wanted, found="none that is kept")
    return found
