"""A deposit, read: contents of zones that two nodes believed to own, as the messages that they once were."""

from __future__ import annotations

from msgspec import Struct, field

from triplewire.network.eventspace.chunks import (
    COLLECTORS,
    REMOVED,
    SUBSCRIPTIONS,
    WAITING,
    AddEvent,
    AddQuads,
    Put,
    header_in,
    operations_in,
)
from triplewire.network.eventspace.messages import (
    CollectEvent,
    EventHeader,
    IndexSubscription,
    MatchRewritten,
    RemoveSubscription,
)
from triplewire.network.eventspace.quads import SpelledTriple
from triplewire.network.eventspace.zones.subscription_index import bounds_in, key_in, subscription_in
from triplewire.network.eventspace.zones.waiting import collector_in, rewritten_in


class Deposit(Struct):
    """The messages of a chunk."""

    removals: list[RemoveSubscription] = field(default_factory=list)
    subscriptions: list[IndexSubscription] = field(default_factory=list)
    waiting: list[MatchRewritten | CollectEvent] = field(default_factory=list)
    headers: dict[str, EventHeader] = field(default_factory=dict)
    rows: dict[str, list[SpelledTriple]] = field(default_factory=dict)

    @property
    def events(self) -> list[tuple[EventHeader, list[SpelledTriple]]]:
        """The quadruples of the chunk, by their events, whose headers are in every chunk with some of them."""
        known = ((event, self.headers.get(event)) for event in self.rows)
        return [(header, self.rows[event]) for event, header in known if header is not None]


def deposit_in(chunk: bytes) -> Deposit:
    """The messages of a chunk. What a node has to send is not among them: who deposits sends it itself."""
    found = Deposit()
    for operation in operations_in(chunk):
        if isinstance(operation, Put):
            _read_record(found, operation)
        elif isinstance(operation, AddEvent):
            found.headers[operation.event] = header_in(operation.header)
        elif isinstance(operation, AddQuads):
            for graph, *row in operation.points:
                found.rows.setdefault(graph[1:-1].decode(), []).append((row[0], row[1], row[2]))
    return found


def _read_record(found: Deposit, record: Put) -> None:
    if record.table == REMOVED:
        found.removals.append(RemoveSubscription(key_in(record.key), bounds_in(record.value)))
    elif record.table == SUBSCRIPTIONS:
        found.subscriptions.append(IndexSubscription(subscription_in(record.value)))
    elif record.table == WAITING:
        found.waiting.append(rewritten_in(record.value))
    elif record.table == COLLECTORS:
        found.waiting.append(collector_in(record.value))
