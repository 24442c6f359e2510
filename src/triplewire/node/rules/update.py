"""An update on a node: run its schedule, record it, publish its changes, in one transaction.

Rules of others must not make an author's update fail. Where they use up its time, or change more than an event can
hold, it is run again without them; a rule that does so several times is quarantined.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from triplewire.errors import BudgetExceeded, CascadeTooLong, LimitExceeded, TriplewireError
from triplewire.languages.rdftl.syntax import Update
from triplewire.node.broker.events import Events
from triplewire.node.broker.publish_step import PublishResult
from triplewire.node.broker.state import BrokerState
from triplewire.node.rules import journal
from triplewire.node.rules.engine import RuleEngine
from triplewire.node.rules.publication import PublishedChange, publish_changes
from triplewire.node.rules.rights import check_written, principals_of
from triplewire.rules.execution import Principals, ScheduleOutcome
from triplewire.store.disk import Connection
from triplewire.store.tables import rule_records
from triplewire.store.tables.identities import Client

# So often a rule may go beyond a budget in what others asked for, then it is quarantined.
MOST_FAILURES = 3
_log = logging.getLogger(__name__)


class UpdateRequest(Struct, frozen=True):
    """Updates, and the client whose they are. Their changes are published as the publisher's.

    `hops` is through how many repositories of other nodes they have come.
    """

    updates: Sequence[Update]
    author: Client
    publisher: str
    hops: int = 0


class ExecutedUpdate(Struct, frozen=True):
    """What came of updates: the schedule's position in the journal, and the events that its changes are published in.

    `accepted` is for the broker after the commit.
    """

    schedule: int
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
    tx: Connection, engine: RuleEngine, request: UpdateRequest, state: BrokerState, events: Events
) -> ExecutedUpdate:
    """Execute what the author asked for. Where rules of others would make it fail, it is tried without them."""
    principals = replace(principals_of(request.author.id, state.clients), owners=engine.owners)
    failed: dict[str, str] = {}
    while True:
        try:
            executed = _attempt(tx, engine, request, replace(principals, disabled=frozenset(failed)), state, events)
            break
        except _Overrun as overrun:
            if not overrun.culprits:
                raise overrun.problem from None
            # The second time without any of them: each try takes its time.
            more = filter(principals.is_foreign, principals.owners) if failed else overrun.culprits
            failed.update(dict.fromkeys(more, str(overrun.problem)))
    failed.update(_over_budget(executed.outcome, principals))
    for rule, reason in failed.items():
        _note_failure(tx, engine, rule, reason)
    return executed


def _attempt(
    tx: Connection,
    engine: RuleEngine,
    request: UpdateRequest,
    principals: Principals,
    state: BrokerState,
    events: Events,
) -> ExecutedUpdate:
    outcome = _run(engine, request, principals)
    tx.execute("SAVEPOINT attempt")
    try:
        check_written(outcome, request.author, engine.owners, state.clients)
        position = journal.record(tx, state.clock.now().timestamp(), outcome)
        accepted, published = publish_changes(tx, state, events, outcome, position, request.publisher, request.hops)
    except LimitExceeded as problem:
        engine.roll_back()
        tx.execute("ROLLBACK TO attempt")
        tx.execute("RELEASE attempt")
        fired = (entry.rule for entry in outcome.firings if entry.rule is not None)
        raise _Overrun(problem, frozenset(filter(principals.is_foreign, fired))) from None
    tx.execute("RELEASE attempt")
    return ExecutedUpdate(position, outcome, published, accepted)


def _run(engine: RuleEngine, request: UpdateRequest, principals: Principals) -> ScheduleOutcome:
    try:
        return engine.run(request.updates, principals)
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


def _note_failure(tx: Connection, engine: RuleEngine, rule: str, reason: str) -> None:
    if rule_records.note_failure(tx, rule, reason, MOST_FAILURES):
        _log.warning("the rule %s is quarantined: %s", rule, reason)
        engine.disable(rule)
