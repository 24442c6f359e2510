"""What a node answers about rules and updates, in JSON."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from triplewire.node.living.journal import FiringEntry, delta_by_component
from triplewire.node.living.publication import PublishedChange
from triplewire.node.living.transaction import ExecutedUpdate
from triplewire.node.rules.carried_interests import UncarriedInterest
from triplewire.node.rules.registration_report import RegistrationReport
from triplewire.rules.event_triggers import TriggeredBy
from triplewire.rules.execution import TraceEntry
from triplewire.store.tables.rule_records import FiringRecord, RuleRecord

Ended = Literal["committed", "aborted"]


class RuleView(Struct, frozen=True, kw_only=True):
    """A rule, as it was registered."""

    id: str
    owner: str
    text: str
    listens: TriggeredBy
    registered: float
    quarantined: Annotated[str | None, Meta(description="Why it does not fire any more.")]


class RegisteredRule(RuleView, frozen=True, kw_only=True):
    """A rule that was just registered, with what the analysis says of it.

    If it listens, `not_carried` are the events that the node's network or space cannot bring here.
    """

    analysis: RegistrationReport | None
    not_carried: tuple[UncarriedInterest, ...] = ()


class RuleList(Struct, frozen=True):
    """Rules, in the order of registration; of a page, `total` is how many there are in all."""

    rules: list[RuleView]
    total: int | UnsetType = UNSET


class FiringView(FiringEntry, frozen=True, kw_only=True):
    """A firing of a rule, with its number and that of its schedule in the journal."""

    number: int
    schedule: int


class Firings(Struct, frozen=True):
    """Firings, oldest first; `next` is where to read on."""

    firings: list[FiringView]
    next: int | None


class TransactionView(Struct, frozen=True, kw_only=True):
    """How a transaction ended."""

    number: int
    transaction: str
    status: Ended
    error: str | None


class TriggeredView(TransactionView, frozen=True, kw_only=True):
    """How a firing ended; `cause` is the number of the transaction or firing that triggered it."""

    rule: str | None
    cause: int | None
    depth: int
    delta: dict[str, str]
    inserted: list[str]
    deleted: list[str]


class UpdateAnswer(Struct, frozen=True):
    """What came of updates: their transactions, the firings of rules, all that changed, and the events that say so."""

    schedule: int
    transactions: list[TransactionView]
    firings: list[TriggeredView]
    inserted: list[str]
    deleted: list[str]
    events: tuple[PublishedChange, ...]


class WithdrawnUpdate(Struct, frozen=True):
    """An update that is not done any more, and what it was doing."""

    key: str
    was: Literal["waiting", "executing"]


def rule_view(record: RuleRecord) -> RuleView:
    """A rule as clients see it."""
    return RuleView(**_facts(record))


def registered_rule(
    record: RuleRecord, analysis: RegistrationReport | None, not_carried: tuple[UncarriedInterest, ...]
) -> RegisteredRule:
    """A rule as its owner sees it."""
    return RegisteredRule(**_facts(record), analysis=analysis, not_carried=not_carried)


def firing_view(record: FiringRecord, entry: FiringEntry) -> FiringView:
    """A firing as clients see it."""
    facts = {name: getattr(entry, name) for name in entry.__struct_fields__}
    return FiringView(number=record.number, schedule=record.schedule, **facts)


def update_answer(done: ExecutedUpdate) -> UpdateAnswer:
    """The outcome of updates, as their sender sees it."""
    edits = done.outcome.changes.edits
    return UpdateAnswer(
        schedule=done.schedule,
        transactions=[TransactionView(**_ended(entry)) for entry in done.outcome.entries if entry.cause is None],
        firings=[_triggered(entry) for entry in done.outcome.firings],
        inserted=[str(triple) for triple in edits.inserted],
        deleted=[str(triple) for triple in edits.deleted],
        events=done.events,
    )


def _facts(record: RuleRecord) -> dict[str, Any]:
    return {
        "id": record.id,
        "owner": record.owner,
        "text": record.text,
        "listens": TriggeredBy.UPDATES if record.since is None else TriggeredBy.EVENTS,
        "registered": record.registered,
        "quarantined": record.quarantined,
    }


def _ended(entry: TraceEntry) -> dict[str, Any]:
    return {
        "number": entry.number,
        "transaction": entry.transaction,
        "status": entry.status.value,
        "error": None if entry.error is None else str(entry.error),
    }


def _triggered(entry: TraceEntry) -> TriggeredView:
    return TriggeredView(
        **_ended(entry),
        rule=entry.rule,
        cause=entry.cause,
        depth=entry.depth,
        delta=delta_by_component(entry),
        inserted=[str(triple) for action in entry.actions for triple in action.changes.inserted],
        deleted=[str(triple) for action in entry.actions for triple in action.changes.deleted],
    )
