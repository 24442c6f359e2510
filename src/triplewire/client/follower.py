"""Follow a subscription over connections that break: which request comes next, and what is new in what arrives.

No I/O here. Each notification has a position and a stream gives them in order, so whatever is not beyond the last
position is a repeat and is dropped: at least once on the wire becomes once for the caller (row F9).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, Generic, Protocol, TypeVar

import msgspec
from msgspec import Struct
from pyoxigraph import RdfFormat, parse

from triplewire.client.calls import decoded
from triplewire.errors import InputError, TriplewireError
from triplewire.rdf.solutions import Solutions, Triples
from triplewire.rdf.sparql_json import json_binding, solution_of
from triplewire.system.backoff import Backoff
from triplewire.wire.eventstream import Frame, FrameReader
from triplewire.wire.reasons import Reason

BACKOFF = Backoff(first=0.25, longest=15.0)


class Notification(Struct, frozen=True):
    """An event that satisfies the subscription. `data` is the event itself, as N-Quads, where that was asked for.

    `why` has what each solution stands on, where that was asked for.
    """

    event: str
    position: int
    solutions: Solutions
    construct: Triples | None = None
    data: str | None = None
    why: tuple[Reason, ...] | None = None

    @property
    def json(self) -> dict[str, Any]:
        """As the node sends it: solutions in SPARQL 1.1's JSON form, triples in N-Triples."""
        construct = None if self.construct is None else [f"{triple} ." for triple in self.construct]
        solutions = [json_binding(solution) for solution in self.solutions]
        parts = {"event": self.event, "position": self.position, "solutions": solutions}
        why = None if self.why is None else msgspec.json.decode(msgspec.json.encode(self.why))
        more = {"construct": construct, "data": self.data, "why": why}
        return parts | {name: part for name, part in more.items() if part is not None}


class NotificationPage(Struct, frozen=True):
    """What a subscription has found, in order.

    `next` is where to read on, None at the end; `gap` the last that was lost unread.
    """

    notifications: list[Notification]
    next: int | None
    gap: int | None


class Gap(Struct, frozen=True):
    """Notifications after `after`, up to `until`, were removed before they were read."""

    after: int
    until: int


class Placed(Protocol):
    """What has a position."""

    @property
    def position(self) -> int: ...


T = TypeVar("T", bound=Placed)


class Following(ABC, Generic[T]):
    """The state of one reader. `position` is the last that was given out."""

    def __init__(self, after: int | None = None) -> None:
        self.position = after
        self._failures = 0
        self._reader = FrameReader()

    def headers(self) -> dict[str, str]:
        """For the next request: it goes on after the last position, or where the subscription's own cursor is."""
        self._reader = FrameReader()
        asked = {"accept": "text/event-stream"}
        return asked if self.position is None else asked | {"last-event-id": str(self.position)}

    def received(self, data: bytes) -> Iterator[T | Gap]:
        """What is new in these bytes."""
        for frame in self._reader.feed(data):
            item = self._item(frame)
            if item is not None and self._is_new(item):
                self._failures = 0
                yield item

    def _is_new(self, item: T | Gap) -> bool:
        reached = item.until if isinstance(item, Gap) else item.position
        if self.position is not None and reached <= self.position:
            return False
        self.position = reached
        return True

    def lost(self, chance: float) -> float:
        """The connection broke: how long to wait before the next, in seconds. `chance` is from 0 to 1."""
        self._failures += 1
        return BACKOFF.delay(self._failures, chance)

    @abstractmethod
    def _notification(self, data: str) -> T:
        """A notification, as it was sent."""
        ...

    def _item(self, frame: Frame) -> T | Gap | None:
        try:
            if frame.kind == "notification":
                return self._notification(frame.data)
            return msgspec.json.decode(frame.data, type=Gap) if frame.kind == "gap" else None
        except (msgspec.DecodeError, InputError, SyntaxError) as error:
            raise TriplewireError(
                wanted=f"a {frame.kind} from the node", found=f"{frame.data[:200]!r}: {error}"
            ) from None


class Follower(Following[Notification]):
    """The state of one reader of a subscription."""

    def _notification(self, data: str) -> Notification:
        return _received(msgspec.json.decode(data, type=_Sent))


class _Sent(Struct, frozen=True):
    """A notification as it is on the wire."""

    event: str
    position: int
    solutions: list[dict[str, Any]] = []
    construct: list[str] | None = None
    data: str | None = None
    why: tuple[Reason, ...] | None = None


class _SentPage(Struct, frozen=True):
    notifications: list[_Sent]
    next: int | None = None
    gap: int | None = None


def notification_page(content: bytes) -> NotificationPage:
    """A page as it was sent."""
    sent = decoded(content, _SentPage)
    return NotificationPage([_received(one) for one in sent.notifications], sent.next, sent.gap)


def _received(sent: _Sent) -> Notification:
    construct = None if sent.construct is None else triples_in(sent.construct)
    solutions = Solutions(map(solution_of, sent.solutions))
    return Notification(sent.event, sent.position, solutions, construct, sent.data, sent.why)


def triples_in(lines: list[str]) -> Triples:
    """Triples, one N-Triples line each."""
    return Triples(quad.triple for quad in parse("\n".join(lines), RdfFormat.N_TRIPLES))
