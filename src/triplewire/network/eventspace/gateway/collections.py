"""Events on their way here: those that are being collected, and those that have arrived and are not accepted.

Both are in the journal. Of a collection that is only whom it is for: after a restart the quadruples are collected anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec
from msgspec import Struct

from triplewire.network.can.journal import Journal
from triplewire.network.eventspace.gateway.client_subscriptions import GATEWAY
from triplewire.network.eventspace.messages import EventHeader, SubscriptionKey
from triplewire.network.eventspace.quads import SpelledTriple

_PREFIX = b"event\0"
_ENCODER = msgspec.msgpack.Encoder()

Rows = tuple[SpelledTriple, ...]


class Collected(Struct, frozen=True, array_like=True):
    """An event, the subscriptions that it is a candidate for, and its quadruples once they are here."""

    header: EventHeader
    keys: frozenset[SubscriptionKey]
    rows: Rows | None = None


_DECODER = msgspec.msgpack.Decoder(Collected)


class Collections:
    """By the IRI of the event."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        known = (_DECODER.decode(value) for _, value in journal.items(GATEWAY, _PREFIX))
        self._events = {event.header.event: event for event in known}
        self._parts: dict[str, dict[SpelledTriple, None]] = {}

    def __iter__(self) -> Iterator[Collected]:
        return iter(list(self._events.values()))

    def get(self, event: str) -> Collected | None:
        return self._events.get(event)

    def add(self, header: EventHeader, keys: Iterable[SubscriptionKey], rows: Rows | None) -> bool:
        """An event is a candidate for some subscriptions; whether that is news."""
        known = self._events.get(header.event, Collected(header, frozenset()))
        changed = Collected(known.header, known.keys.union(keys), known.rows or rows)
        if changed == known:
            return False
        self._put(changed)
        return True

    def gather(self, event: str, rows: Rows) -> bool:
        """Some quadruples of an event that is being collected; whether it is whole now."""
        known = self._events.get(event)
        if known is None or known.rows is not None:
            return False
        parts = self._parts.setdefault(event, {})
        parts.update(dict.fromkeys(rows))
        if len(parts) < known.header.size:
            return False
        self._put(Collected(known.header, known.keys, tuple(parts)))
        return True

    def remove(self, event: str) -> None:
        """Nobody needs the event here any longer."""
        self._parts.pop(event, None)
        if self._events.pop(event, None) is not None:
            self._journal.delete(GATEWAY, _PREFIX + event.encode())

    def _put(self, event: Collected) -> None:
        self._events[event.header.event] = event
        if event.rows is not None:
            self._parts.pop(event.header.event, None)
        self._journal.put(GATEWAY, _PREFIX + event.header.event.encode(), _ENCODER.encode(event))
