"""Changes of the living graph, published as events in the very transaction that keeps them.

So a change is in the log if and only if the living graph has it, and notifications about it wait in outboxes like
any others. An event's source names the schedule and the transaction.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import Struct

from triplewire.errors import EventConflict
from triplewire.node.broker.events import Events
from triplewire.node.broker.publish_step import PublishResult, Submission, accept
from triplewire.node.broker.state import BrokerState
from triplewire.rdf.events import Event
from triplewire.rdf.terms import TW, NamedNode, Triple
from triplewire.rules.changes import Changes
from triplewire.rules.execution import events_of
from triplewire.rules.execution.publication import GRAPH, INSERTED
from triplewire.store.disk import Connection

_SCHEDULE = TW["schedule:"].value
_HOPS = re.compile(rf"{_SCHEDULE}[0-9]+/([0-9]{{1,6}})#")


class PublishedChange(Struct, frozen=True, omit_defaults=True):
    """An event with what a transaction has inserted or deleted, and its position in the log. No graph: the default."""

    event: str
    position: int
    transaction: str
    kind: str
    graph: str | None = None


def publish_changes(
    tx: Connection,
    state: BrokerState,
    events: Events,
    committed: Mapping[str, Changes],
    schedule: int,
    publisher: str,
    hops: int,
) -> tuple[PublishResult, tuple[PublishedChange, ...]]:
    """Put the events of a schedule, by its position in the journal, into the log.

    What is accepted is for `events.committed` after the commit.
    """
    source = _source(schedule, hops)
    made = list(events_of(committed, source=source, time=state.clock.now()))
    if not made:
        return PublishResult(()), ()
    submission = Submission(publisher, made, state.date.time())
    accepted = accept(tx, state.matchers, [submission], events.admission)
    [receipts] = accepted.outcomes
    if isinstance(receipts, EventConflict):
        raise receipts
    begin = len(source) + 1
    return accepted, tuple(
        PublishedChange(receipt.event, receipt.position, (event.source or "")[begin:], _kind(event), _graph(event))
        for event, receipt in zip(made, receipts, strict=True)
    )


def _source(schedule: int, hops: int) -> str:
    return f"{_SCHEDULE}{schedule}" + (f"/{hops}" if hops else "")


def is_change_source(source: str | None) -> bool:
    """Whether an event with this source, which clients cannot choose, describes changes of a node's repository."""
    return source is not None and source.startswith(_SCHEDULE)


def hops_of(source: str | None) -> int:
    """Through how many other nodes' repositories the changes in an event with this source have come.

    >>> hops_of("urn:triplewire:schedule:7/3#t"), hops_of("urn:triplewire:schedule:7#t"), hops_of(None)
    (3, 0, 0)
    """
    found = _HOPS.match(source or "")
    return 0 if found is None else int(found[1])


def inserted_by(event: Event, source: str | None) -> tuple[Triple, ...]:
    """The triples that an event inserts: its own, or, if it describes changes, those that were inserted there.

    What was inserted into a named graph is nothing that rules are triggered by.
    """
    if not is_change_source(source):
        return event.triples
    if _kind(event) == "deleted" or _graph(event) is not None:
        return ()
    return tuple(triple for triple in event.triples if triple.subject != event.graph)


def _graph(event: Event) -> str | None:
    """The named graph that an event with changes is about."""
    said = (triple.object for triple in event.triples if triple.subject == event.graph and triple.predicate == GRAPH)
    graph = next(said, None)
    return graph.value if isinstance(graph, NamedNode) else None


def _kind(event: Event) -> str:
    classes = {triple.object for triple in event.triples if triple.subject == event.graph}
    return "inserted" if INSERTED in classes else "deleted"
