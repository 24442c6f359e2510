"""Publishing, as one step inside a transaction: events in; receipts and notifications out.

The same IRI with the same content changes nothing and gets the position that it has; with other content the whole
request is refused, and nothing of it is stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec
from msgspec import Struct

from triplewire.errors import EventConflict
from triplewire.matching import Match
from triplewire.node.answers import answer_of
from triplewire.node.audience import Audience
from triplewire.rdf.events import Event, merge_repeats
from triplewire.store import keys, log, outbox
from triplewire.store.disk import Connection
from triplewire.store.log import Record
from triplewire.store.outbox import Notice


class Receipt(Struct, frozen=True):
    """Where an event is in the log."""

    event: str
    position: int


class Submission(Struct, frozen=True):
    """A request to publish. `digest` tells two requests under one idempotency key apart."""

    publisher: str
    events: Sequence[Event]
    accepted: float
    key: str | None = None
    digest: bytes = b""


class Accepted(Struct, frozen=True):
    """What came of a submission: receipts in its order, what is new in the log, and who is to be told."""

    receipts: tuple[Receipt, ...]
    records: tuple[Record, ...] = ()
    notices: tuple[Notice, ...] = ()


def accept(connection: Connection, audience: Audience, submission: Submission) -> Accepted:
    """Store a submission and what it sets off."""
    answered = _answered(connection, submission)
    if answered is not None:
        return Accepted(answered)
    events = merge_repeats(submission.events)
    positions, fresh = _placed(connection, events)
    records = tuple(_record(event, positions[event.graph.value], submission) for event in fresh)
    notices = tuple(notices_of(audience, fresh, positions))
    log.append(connection, records)
    outbox.put(connection, notices)
    receipts = tuple(Receipt(event.graph.value, positions[event.graph.value]) for event in submission.events)
    _remember(connection, submission, receipts)
    return Accepted(receipts, records, notices)


def notices_of(audience: Audience, events: Sequence[Event], positions: dict[str, int]) -> Iterable[Notice]:
    """A notification for every match."""
    for match in audience.matches(events):
        yield Notice(int(match.subscription_id), positions[match.event.graph.value], _answer(audience, match))


def _answer(audience: Audience, match: Match) -> bytes:
    return answer_of(match, constructs=audience.constructs(match.subscription_id))


def _placed(connection: Connection, events: Sequence[Event]) -> tuple[dict[str, int], list[Event]]:
    """The position of each event, old or new, and the events that are new."""
    positions: dict[str, int] = {}
    fresh: list[Event] = []
    end = log.head(connection)
    there = log.find_all(connection, [event.graph.value for event in events])
    for event in events:
        known = there.get(event.graph.value)
        if known is None:
            end += 1
            fresh.append(event)
        elif known.nquads != event.nquads:
            raise _conflict(event, known)
        positions[event.graph.value] = end if known is None else known.position
    return positions, fresh


def _conflict(event: Event, known: Record) -> EventConflict:
    return EventConflict(
        f"wanted one content for the event <{event.graph.value}>, found another at position {known.position}"
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
    )


def _answered(connection: Connection, submission: Submission) -> tuple[Receipt, ...] | None:
    if submission.key is None:
        return None
    known = keys.find(connection, submission.publisher, submission.key)
    if known is None:
        return None
    if known.request != submission.digest:
        raise EventConflict(f"wanted the request that came first under the key {submission.key!r}, found another")
    return msgspec.json.decode(known.receipts, type=tuple[Receipt, ...])


def _remember(connection: Connection, submission: Submission, receipts: tuple[Receipt, ...]) -> None:
    if submission.key is not None:
        answered = keys.Answered(submission.digest, msgspec.json.encode(receipts))
        keys.remember(connection, submission.publisher, submission.key, answered, submission.accepted)
