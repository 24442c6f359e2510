"""Rewritten subscriptions and collectors that wait for quadruples of an event, until all of these are stored.

They are in the journal, as the messages that they came in, and in memory by their event: quadruples come all the time,
and for most of them nobody waits.

The last that have done waiting are remembered for a while. If it turns out that another node took messages for the same
zone, they may not have met what that one has.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict, deque
from collections.abc import Iterator
from typing import TypeVar

import msgspec

from triplewire.network.can.journal import Journal
from triplewire.network.eventspace.chunks import COLLECTORS, WAITING
from triplewire.network.eventspace.messages import CollectEvent, EventHeader, MatchRewritten
from triplewire.network.eventspace.zones.subscription_index import journal_key

_Message = TypeVar("_Message", MatchRewritten, CollectEvent)
_ENCODER = msgspec.msgpack.Encoder()
_REWRITTEN = msgspec.msgpack.Decoder(MatchRewritten)
_COLLECT = msgspec.msgpack.Decoder(CollectEvent)


# How many of those that have done waiting are remembered.
_MOST_PAST = 5_000


class Waiting:
    """Who waits, by the IRI of the event."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._rewritten: defaultdict[str, dict[bytes, MatchRewritten]] = defaultdict(dict)
        self._collectors: defaultdict[str, dict[bytes, CollectEvent]] = defaultdict(dict)
        self.past: deque[MatchRewritten | CollectEvent] = deque(maxlen=_MOST_PAST)
        for key, value in journal.items(WAITING):
            message = rewritten_in(value)
            self._rewritten[message.header.event][key] = message
        for key, value in journal.items(COLLECTORS):
            collect = collector_in(value)
            self._collectors[collect.header.event][key] = collect

    def __len__(self) -> int:
        return sum(map(len, self._rewritten.values())) + sum(map(len, self._collectors.values()))

    def add(self, message: MatchRewritten | CollectEvent) -> None:
        if isinstance(message, MatchRewritten):
            self._add(WAITING, self._rewritten, rewritten_key(message), message)
        else:
            self._add(COLLECTORS, self._collectors, collector_key(message), message)

    def remove(self, message: MatchRewritten | CollectEvent) -> None:
        if isinstance(message, MatchRewritten):
            self.remove_key(WAITING, rewritten_key(message))
        else:
            self.remove_key(COLLECTORS, collector_key(message))

    def remove_key(self, table: str, key: bytes) -> None:
        """Remove what has a key in one of the two tables of the journal."""
        waiting = self._rewritten if table == WAITING else self._collectors
        event = key[: key.index(b"\0")].decode()
        if waiting[event].pop(key, None) is not None:
            self._journal.delete(table, key)
        if not waiting[event]:
            del waiting[event]

    def rewritten(self, event: str) -> list[MatchRewritten]:
        """The rewritten subscriptions that wait for quadruples of an event."""
        return list(self._rewritten[event].values()) if event in self._rewritten else []

    def collectors(self, event: str) -> list[CollectEvent]:
        return list(self._collectors[event].values()) if event in self._collectors else []

    def all(self) -> Iterator[MatchRewritten | CollectEvent]:
        """Everybody who waits."""
        for rewritten in self._rewritten.values():
            yield from rewritten.values()
        for collectors in self._collectors.values():
            yield from collectors.values()

    def headers(self) -> dict[str, EventHeader]:
        """The events that somebody waits for."""
        return {message.header.event: message.header for message in self.all()}

    def settle(self, event: str) -> None:
        """Nothing more is to come of an event."""
        for message in self.rewritten(event):
            self.past.append(message)
            self.remove(message)
        for collect in self.collectors(event):
            self.past.append(collect)
            self.remove(collect)

    def _add(self, table: str, waiting: defaultdict[str, dict[bytes, _Message]], key: bytes, message: _Message) -> None:
        if key not in waiting[message.header.event]:
            waiting[message.header.event][key] = message
            self._journal.put(table, key, _ENCODER.encode(message))


def rewritten_in(value: bytes) -> MatchRewritten:
    """A rewritten subscription as the journal has it."""
    return _REWRITTEN.decode(value)


def collector_in(value: bytes) -> CollectEvent:
    """A collector as the journal has it."""
    return _COLLECT.decode(value)


def rewritten_key(message: MatchRewritten) -> bytes:
    digest = hashlib.sha256(_ENCODER.encode((message.rewriting, message.round))).digest()[:16]
    return b"\0".join((message.header.event.encode(), journal_key(message.subscription.key), digest))


def collector_key(message: CollectEvent) -> bytes:
    return b"\0".join((message.header.event.encode(), message.collector.id.encode()))
