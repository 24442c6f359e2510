"""A transaction of the living graph: run its schedule, record it, publish its changes, all at once.

Rules of others must not make an author's update fail. Where they use up its time, or change more than an event can
hold, it is run again without them; a rule that does so several times is quarantined.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from triplewire.errors import BudgetExceeded, CascadeTooLong, LimitExceeded, TriplewireError
from triplewire.node.broker.events import Events
from triplewire.node.broker.publish_step import PublishResult
from triplewire.node.broker.state import BrokerState
from triplewire.node.living import journal
from triplewire.node.living.changes import Change, change_of
from triplewire.node.living.edits import change_too_large
from triplewire.node.living.graph import LivingGraph
from triplewire.node.living.publication import PublishedChange, publish_changes
from triplewire.node.living.reasons import GraphReasons, assertions_of
from triplewire.node.living.store import LivingStore
from triplewire.node.rules.rights import check_written, principals_of
from triplewire.rules.changes import Changes
from triplewire.rules.execution import AnyUpdate, Principals, ScheduleOutcome
from triplewire.rules.execution.deadline import Interrupt, never
from triplewire.rules.schema import Schema
from triplewire.store.disk import Connection
from triplewire.store.tables import outbox, rule_records
from triplewire.store.tables.identities import Client
from triplewire.store.tables.living_graph import Assertion, Authorship
from triplewire.store.tables.outbox import OutboxEntry
from triplewire.wire.answers import Receipt

# So often a rule may go beyond a budget in what others asked for, then it is quarantined.
MOST_FAILURES = 3
_SCHEMA = "schema"
_log = logging.getLogger(__name__)


class UpdateRequest(Struct, frozen=True):
    """Updates, and the client whose they are. Their changes are published as the publisher's.

    `hops` is through how many repositories of other nodes they have come. `interrupt` is called now and then, and
    raises to stop them. `fires`: whether rules are triggered. `is_own`: whether the node does it by itself, and not
    because its super-peer has asked for it, which is told apart.
    """

    updates: Sequence[AnyUpdate]
    author: Client
    publisher: str
    hops: int = 0
    interrupt: Interrupt = never
    fires: bool = True
    is_own: bool = True


class ExecutedUpdate(Struct, frozen=True):
    """What came of updates: the schedule's position in the journal, and the events that its changes are published in.

    `time` is when it happened, in Unix seconds. `accepted` is for the broker after the commit.
    """

    schedule: int
    time: float
    outcome: ScheduleOutcome
    events: tuple[PublishedChange, ...]
    accepted: PublishResult


class _Overrun(Exception):  # noqa: N818  the problem is what it carries
    """A schedule that was refused whole, and the rules of others that have fired in it."""

    def __init__(self, problem: TriplewireError, culprits: frozenset[str]) -> None:
        super().__init__(str(problem))
        self.problem = problem
        self.culprits = culprits


def execute_update(
    tx: Connection, living: LivingGraph, request: UpdateRequest, state: BrokerState, events: Events
) -> ExecutedUpdate:
    """Execute what the author asked for. Where rules of others would make it fail, it is tried without them."""
    principals = replace(principals_of(request.author.id, state.clients), owners=living.owners)
    failed: dict[str, str] = {}
    while True:
        disabled = frozenset(failed) if request.fires else frozenset(living.owners)
        try:
            executed = _attempt(tx, living, request, replace(principals, disabled=disabled), state, events)
            break
        except _Overrun as overrun:
            if not overrun.culprits:
                raise overrun.problem from None
            # The second time without any of them: each try takes its time.
            more = filter(principals.is_foreign, principals.owners) if failed else overrun.culprits
            failed.update(dict.fromkeys(more, str(overrun.problem)))
    failed.update(_over_budget(executed.outcome, principals))
    for rule, reason in failed.items():
        _note_failure(tx, living, rule, reason)
    return executed


def _attempt(
    tx: Connection,
    living: LivingGraph,
    request: UpdateRequest,
    principals: Principals,
    state: BrokerState,
    events: Events,
) -> ExecutedUpdate:
    outcome = _run(living, request, principals)
    # Only rules are a reason to try again without them; else the whole request is undone.
    is_repeatable = bool(living.owners)
    if is_repeatable:
        tx.execute("SAVEPOINT attempt")
    try:
        check_written(outcome, request.author, living.owners, state.clients)
        _check_size(outcome.changes, state.change_quads)
        time, changes = state.clock.now().timestamp(), outcome.changes
        reasons = GraphReasons(tx, living.repository, changes, _gone(tx, changes, state))
        position = journal.record(tx, time, outcome, request.author.id)
        accepted, published = publish_changes(
            tx, state, events, outcome.committed, position, request.publisher, request.hops
        )
        entries = _tell(tx, living, change_of(position, time, changes, _last(published), reasons))
        if request.is_own:
            living.reporter.executed(tx, living, outcome, request.author.id)
    except LimitExceeded as problem:
        living.roll_back()
        if is_repeatable:
            tx.execute("ROLLBACK TO attempt")
            tx.execute("RELEASE attempt")
        fired = (entry.rule for entry in outcome.firings if entry.rule is not None)
        raise _Overrun(problem, frozenset(filter(principals.is_foreign, fired))) from None
    if is_repeatable:
        tx.execute("RELEASE attempt")
    return ExecutedUpdate(position, time, outcome, published, _with_entries(accepted, entries))


def change_schema(
    tx: Connection, store: LivingStore, schema: Schema, publisher: str, state: BrokerState, events: Events
) -> PublishResult:
    """Use another schema; what follows by it, and no longer follows, is a change like any other."""
    previous, changes = store.living.repository, store.use_schema(tx, schema)
    if not changes:
        store.living.reporter.schema_changed(tx, store.living, changes, publisher)
        return PublishResult(())
    living, time = store.living, state.clock.now().timestamp()
    position = journal.record_changes(tx, time, changes, Authorship(publisher, _SCHEMA))
    accepted, published = publish_changes(tx, state, events, {_SCHEMA: changes}, position, publisher, 0)
    reasons = GraphReasons(tx, living.repository, changes, previous=previous)
    entries = _tell(tx, living, change_of(position, time, changes, _last(published), reasons))
    living.reporter.schema_changed(tx, living, changes, publisher)
    return _with_entries(accepted, entries)


def _gone(tx: Connection, changes: Changes, state: BrokerState) -> dict[str, Assertion]:
    """What is known of quads that are about to go, if somebody asks what answers stood on."""
    return assertions_of(tx, changes) if state.index.asking_why else {}


def _tell(tx: Connection, living: LivingGraph, change: Change) -> tuple[OutboxEntry, ...]:
    """Tell the follower, in the transaction that keeps the change, and keep what it has for outboxes."""
    living.position = change.position
    entries = living.follower.changed(tx, change, living.dataset)
    outbox.put(tx, entries)
    return entries


def _last(published: Sequence[PublishedChange]) -> Receipt | None:
    return Receipt(published[-1].event, published[-1].position) if published else None


def _with_entries(accepted: PublishResult, entries: tuple[OutboxEntry, ...]) -> PublishResult:
    return replace(accepted, entries=(*accepted.entries, *entries)) if entries else accepted


def _check_size(changes: Changes, most: int) -> None:
    named = changes.edits.named
    size = len(changes.inserted) + len(changes.deleted) + len(named.inserted) + len(named.deleted)
    if size > most:
        raise change_too_large(most, f"{size:,}")


def _run(living: LivingGraph, request: UpdateRequest, principals: Principals) -> ScheduleOutcome:
    try:
        return living.run(request.updates, principals, request.interrupt)
    except CascadeTooLong as problem:
        others = frozenset(filter(principals.is_foreign, problem.fired))
        raise _Overrun(problem, others & frozenset(problem.cascade[1:]) or others) from None


def _over_budget(outcome: ScheduleOutcome, principals: Principals) -> dict[str, str]:
    """The rules of others that went beyond the budget, each with the reason."""
    return {
        entry.rule: str(entry.error)
        for entry in outcome.aborted
        if entry.rule is not None and isinstance(entry.error, BudgetExceeded) and principals.is_foreign(entry.rule)
    }


def _note_failure(tx: Connection, living: LivingGraph, rule: str, reason: str) -> None:
    if rule_records.note_failure(tx, rule, reason, MOST_FAILURES):
        _log.warning("the rule %s is quarantined: %s", rule, reason)
        living.disable(rule)
