"""Changes of the rules' repository, published as events in the very transaction that keeps them.

So the log tells of a schedule if and only if the repository has it, and notifications about it wait in outboxes like
any others. An event's source names the schedule and the transaction.
"""

from __future__ import annotations

import re

from msgspec import Struct

from triplewire.errors import EventConflict
from triplewire.node.broker.core import Core
from triplewire.node.broker.events import Events
from triplewire.node.broker.publish_step import Accepted, Submission, accept
from triplewire.node.rules.rights import NOTHING, check_written
from triplewire.rdf.events import Event
from triplewire.rdf.terms import TW, Triple
from triplewire.rules.execution import Outcome, events_of
from triplewire.rules.execution.publication import INSERTED
from triplewire.store.disk import Connection
from triplewire.store.tables import changes, rulebook
from triplewire.store.tables.identities import Grant

_SCHEDULE = TW["schedule:"].value
_HOPS = re.compile(rf"{_SCHEDULE}[0-9]+/([0-9]{{1,6}})#")


class Told(Struct, frozen=True):
    """An event that tells what a transaction has inserted or deleted, and its position in the log."""

    event: str
    position: int
    transaction: str
    kind: str


class Publication:
    """The events of one schedule: written with it, told of after its commit."""

    def __init__(self, core: Core, events: Events, publisher: str, grant: Grant, hops: int = 0) -> None:
        self._core = core
        self._events = events
        self._publisher = publisher
        self._grant = grant
        self._hops = hops
        self._accepted = Accepted(())
        self.schedule = 0
        self.events: tuple[Told, ...] = ()

    def write(self, connection: Connection, outcome: Outcome) -> None:
        """Check who wrote what, and put the events into the log."""
        check_written(outcome, self._grant, lambda rule: self._grant_of(connection, rule))
        self.schedule = changes.head(connection)
        name = _source(self.schedule, self._hops)
        events = list(events_of(outcome.committed, source=name, time=self._core.clock.now()))
        if not events:
            return
        submission = Submission(self._publisher, events, self._core.date.time())
        self._accepted = accept(connection, self._core.matchers, [submission], self._events.admission)
        [receipts] = self._accepted.outcomes
        if isinstance(receipts, EventConflict):
            raise receipts
        begin = len(name) + 1
        self.events = tuple(
            Told(receipt.event, receipt.position, (event.source or "")[begin:], _kind(event))
            for event, receipt in zip(events, receipts, strict=True)
        )

    def committed(self, _outcome: Outcome) -> None:
        """Tell whoever follows or waits."""
        self._events.committed(self._accepted)

    def _grant_of(self, connection: Connection, rule: str) -> Grant:
        record = rulebook.find(connection, rule)
        client = None if record is None else self._core.clients.get(record.owner)
        return NOTHING if client is None or client.rights.publish is None else client.rights.publish


def _source(schedule: int, hops: int) -> str:
    return f"{_SCHEDULE}{schedule}" + (f"/{hops}" if hops else "")


def tells_of_changes(source: str | None) -> bool:
    """Whether an event with this source, which clients cannot choose, tells of changes of a node's repository."""
    return source is not None and source.startswith(_SCHEDULE)


def hops_of(source: str | None) -> int:
    """Through how many other nodes' repositories what is told in an event with this source has come.

    >>> hops_of("urn:triplewire:schedule:7/3#t"), hops_of("urn:triplewire:schedule:7#t"), hops_of(None)
    (3, 0, 0)
    """
    found = _HOPS.match(source or "")
    return 0 if found is None else int(found[1])


def inserted_by(event: Event, source: str | None) -> tuple[Triple, ...]:
    """The triples that an event inserts: its own, or, if it tells of changes, those that were inserted there."""
    if not tells_of_changes(source):
        return event.triples
    if _kind(event) == "deleted":
        return ()
    return tuple(triple for triple in event.triples if triple.subject != event.graph)


def _kind(event: Event) -> str:
    classes = {triple.object for triple in event.triples if triple.subject == event.graph}
    return "inserted" if INSERTED in classes else "deleted"
