"""Publications that are not known to be stored everywhere, and who waits for them.

That an event is unfinished is in the journal, and so is who waits for it: after a crash its publication is repeated by
whoever wants it acknowledged, with the stamp of the first time, and until then nobody may be told that all of it is
stored.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec import Struct

from triplewire.network.can.journal import Journal
from triplewire.network.can.messages import Address
from triplewire.network.eventspace.gateway.client_subscriptions import GATEWAY
from triplewire.network.eventspace.messages import AskSettled, EventHeader

_PREFIX = b"publication\0"
_ASKER_PREFIX = b"asker\0"
_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(EventHeader)
_ASKER_DECODER = msgspec.msgpack.Decoder(AskSettled)


class Publication(Struct):
    """A publication: who wants to hear of it, and the keys of what was sent of it and is not known to be stored."""

    header: EventHeader
    keys: set[str]
    tickets: list[int]


class Publications:
    """By the keys of what was sent."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._by_key: dict[str, Publication] = {}
        headers = (_DECODER.decode(value) for _, value in journal.items(GATEWAY, _PREFIX))
        self._unfinished = {header.event: header for header in headers}
        self._askers: dict[str, dict[str, Address]] = {}
        for _, value in journal.items(GATEWAY, _ASKER_PREFIX):
            question = _ASKER_DECODER.decode(value)
            self._askers.setdefault(question.event, {})[question.asker.id] = question.asker

    def unfinished(self, event: str) -> EventHeader | None:
        """The header of an event that is not known to be stored everywhere."""
        return self._unfinished.get(event)

    def begin(self, ticket: int, header: EventHeader, keys: Iterable[str]) -> None:
        """Something is sent under these keys, perhaps not for the first time."""
        wanted = set(keys)
        tickets = [ticket for key in wanted if key in self._by_key for ticket in self._by_key[key].tickets]
        publication = Publication(header, wanted, [*dict.fromkeys(tickets), ticket])
        self._by_key.update(dict.fromkeys(wanted, publication))
        if header.event not in self._unfinished:
            self._unfinished[header.event] = header
            self._journal.put(GATEWAY, _PREFIX + header.event.encode(), _ENCODER.encode(header))

    def completed(self, key: str) -> Publication | None:
        """Something is stored; returns its publication if that was the last of it."""
        publication = self._by_key.pop(key, None)
        if publication is None:
            return None
        publication.keys.discard(key)
        return None if publication.keys else publication

    def withdraw(self, event: str, position: int) -> Publication | None:
        """Give up a publication; returns it if it was not given up before."""
        found = (p for p in self._by_key.values() if p.header.event == event and p.header.stamp.position == position)
        publication = next(found, None)
        for key in publication.keys if publication else ():
            del self._by_key[key]
        return publication

    def finish(self, event: str) -> list[Address]:
        """Nothing more is to come of an event; returns who waits to hear that."""
        if self._unfinished.pop(event, None) is not None:
            self._journal.delete(GATEWAY, _PREFIX + event.encode())
        askers = self._askers.pop(event, {})
        for name in askers:
            self._journal.delete(GATEWAY, _asker_key(event, name))
        return list(askers.values())

    def is_waiting(self, question: AskSettled) -> bool:
        """Whether an asker has to wait, since something of the event may still come."""
        if question.event not in self._unfinished:
            return False
        self._askers.setdefault(question.event, {})[question.asker.id] = question.asker
        self._journal.put(GATEWAY, _asker_key(question.event, question.asker.id), _ENCODER.encode(question))
        return True


def _asker_key(event: str, name: str) -> bytes:
    return _ASKER_PREFIX + event.encode() + b"\0" + name.encode()
