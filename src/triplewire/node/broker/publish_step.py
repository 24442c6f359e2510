"""Publishing, as one step inside a transaction: requests in; receipts and notifications out.

Requests that came at the same time are taken together, in their order, since matching many events costs little more
than matching one. The same IRI with the same content changes nothing and gets the position that it has; with other
content the whole request is refused, and nothing of it is stored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Protocol

import msgspec
from msgspec import Struct

from triplewire.errors import EventConflict
from triplewire.matching import Match
from triplewire.node.matching.answers import answer_of
from triplewire.node.matching.live_matchers import LiveMatchers
from triplewire.rdf.events import Event, merge_repeats
from triplewire.store.disk import Connection
from triplewire.store.tables import idempotency_keys, log, outbox
from triplewire.store.tables.log import Record
from triplewire.store.tables.outbox import OutboxEntry
from triplewire.wire.answers import Receipt

Outcome = tuple[Receipt, ...] | EventConflict


class Submission(Struct, frozen=True):
    """A request to publish. `digest` tells two requests under one idempotency key apart.

    `origin` is the super-peer where an event was published, at `origin_position`; None for this node.
    """

    publisher: str
    events: Sequence[Event]
    accepted: float
    key: str | None = None
    digest: bytes = b""
    origin: str | None = None
    origin_position: int | None = None


class PublishResult(Struct, frozen=True):
    """What came of some submissions: for each its receipts or its refusal; what is new; and the outboxes' part."""

    outcomes: tuple[Outcome, ...]
    records: tuple[Record, ...] = ()
    entries: tuple[OutboxEntry, ...] = ()


class Placed(Struct):
    """Where events are, as far as this step has come: known ones, and those that it adds."""

    end: int
    contents: dict[str, tuple[int, bytes]]
    fresh: list[Event] = []
    records: list[Record] = []


class Admitting(Protocol):
    """Whose notifications are made now, and whose later."""

    def begin(self, tx: Connection, head: int) -> None: ...

    def choose(self, counts: Counter[int]) -> set[int]: ...

    def put_off(self, tx: Connection, numbers: set[int], head: int) -> None: ...


def accept(
    connection: Connection, matchers: LiveMatchers, submissions: Sequence[Submission], admission: Admitting
) -> PublishResult:
    """Store submissions and what they set off. Each is stored whole, or refused whole; matching is done for all."""
    graphs = {event.graph.value for submission in submissions for event in submission.events}
    known = log.find_all(connection, graphs)
    contents = {graph: (record.position, record.nquads) for graph, record in known.items()}
    head = log.head(connection)
    admission.begin(connection, head)
    placed = Placed(head, contents)
    outcomes = tuple(_outcome(connection, placed, submission) for submission in submissions)
    positions = {record.graph: record.position for record in placed.records}
    batches = list(matchers.batches(placed.fresh)) if placed.fresh else []
    late = admission.choose(Counter(int(name) for batch in batches for name in batch.subscription_ids))
    names = {str(number) for number in late}
    matches = (match for batch in batches for match in batch.without(names))
    entries = tuple(outbox_entries(matchers, matches, positions))
    admission.put_off(connection, late, head)
    log.append(connection, placed.records)
    outbox.put(connection, entries)
    return PublishResult(outcomes, tuple(placed.records), entries)


def _outcome(connection: Connection, placed: Placed, submission: Submission) -> Outcome:
    try:
        answered = _answered(connection, submission)
        if answered is not None:
            return answered
        _place(placed, submission)
    except EventConflict as refusal:
        return refusal
    names = (event.graph.value for event in submission.events)
    receipts = tuple(Receipt(name, placed.contents[name][0]) for name in names)
    _remember(connection, submission, receipts)
    return receipts


def _place(placed: Placed, submission: Submission) -> None:
    """Give each new event the next position; where one conflicts, nothing has changed."""
    events = merge_repeats(submission.events)
    for event in events:
        known = placed.contents.get(event.graph.value)
        if known is not None and known[1] != event.nquads:
            raise _conflict(event, known[0])
    for event in events:
        if event.graph.value not in placed.contents:
            placed.end += 1
            placed.contents[event.graph.value] = (placed.end, event.nquads)
            placed.fresh.append(event)
            placed.records.append(_record(event, placed.end, submission))


def outbox_entries(
    matchers: LiveMatchers, matches: Iterable[Match], positions: dict[str, int]
) -> Iterable[OutboxEntry]:
    """An entry for every match."""
    for match in matches:
        event = match.event.graph.value
        yield OutboxEntry(int(match.subscription_id), positions[event], event, _answer(matchers, match))


def _answer(matchers: LiveMatchers, match: Match) -> bytes:
    return answer_of(match, constructs=matchers.constructs(match.subscription_id), why=matchers.reasons(match))


def _conflict(event: Event, position: int) -> EventConflict:
    return EventConflict(
        wanted=f"one content for the event <{event.graph.value}>", found=f"another at position {position}"
    )


def _record(event: Event, position: int, submission: Submission) -> Record:
    return Record(
        position,
        event.graph.value,
        submission.publisher,
        event.time.isoformat(),
        event.source,
        submission.accepted,
        event.nquads,
        submission.origin,
        submission.origin_position,
    )


def _answered(connection: Connection, submission: Submission) -> tuple[Receipt, ...] | None:
    if submission.key is None:
        return None
    known = idempotency_keys.find(connection, submission.publisher, submission.key)
    if known is None:
        return None
    if known.request != submission.digest:
        raise EventConflict(wanted=f"the request that came first under the key {submission.key!r}", found="another")
    return msgspec.json.decode(known.receipts, type=tuple[Receipt, ...])


def _remember(connection: Connection, submission: Submission, receipts: tuple[Receipt, ...]) -> None:
    if submission.key is not None:
        answered = idempotency_keys.StoredResponse(submission.digest, msgspec.json.encode(receipts))
        idempotency_keys.remember(connection, submission.publisher, submission.key, answered, submission.accepted)
