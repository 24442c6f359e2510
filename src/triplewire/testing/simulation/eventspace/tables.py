"""A history in tables. Places count the records of the history, so that of two the earlier is the smaller."""

from __future__ import annotations

from math import inf

from msgspec import Struct

from triplewire.testing.simulation.eventspace.history import (
    Answered,
    Arrived,
    Asked,
    Established,
    History,
    Leaving,
    NodeEnded,
    Notified,
    Published,
    Record,
    Refused,
    Sent,
    Subscribed,
    Unsubscribed,
)


class Standing(Struct):
    """A subscription, and the places in the history at which it was issued, established and ended."""

    made: Subscribed
    issued: int
    established: float = inf
    ended: float = inf


class SentEvent(Struct):
    """An event, and the places at which it was sent and acknowledged."""

    sent: Sent
    at: int
    acknowledged: float = inf
    refused: float = inf


class SpaceTables:
    """The tables. `repeats` were sent under the IRI of an event that was sent before."""

    def __init__(self, history: History) -> None:
        self.subscriptions: dict[str, Standing] = {}
        self.events: dict[str, SentEvent] = {}
        self.repeats: list[SentEvent] = []
        self.notified: list[tuple[int, Notified]] = []
        self.arrived: list[Arrived] = []
        self.asked: dict[int, tuple[int, Asked]] = {}
        self.answered: dict[int, tuple[int, Answered]] = {}
        self.leaving: list[Leaving] = []
        self.ended: set[str] = set()
        for place, record in enumerate(history.records):
            self._enter(place, record)

    def _enter(self, place: int, record: Record) -> None:
        match record:
            case Subscribed() | Established() | Unsubscribed():
                self._enter_subscription(place, record)
            case Sent() | Published() | Refused():
                self._enter_event(place, record)
            case Arrived():
                self.arrived.append(record)
            case Notified():
                self.notified.append((place, record))
            case Asked():
                self.asked[record.ticket] = (place, record)
            case Answered():
                self.answered[record.ticket] = (place, record)
            case Leaving():
                self.leaving.append(record)
            case NodeEnded():
                self.ended.add(record.node)

    def _enter_subscription(self, place: int, record: Subscribed | Established | Unsubscribed) -> None:
        if isinstance(record, Subscribed):
            self.subscriptions[record.subscription] = Standing(record, place)
            return
        known = self.subscriptions[record.subscription]
        if isinstance(record, Established):
            known.established = min(known.established, place)
        else:
            known.ended = place

    def _enter_event(self, place: int, record: Sent | Published | Refused) -> None:
        if not isinstance(record, Sent):
            event = self._sent_at(record.event, record.node)
            if isinstance(record, Published):
                event.acknowledged = min(event.acknowledged, place)
            else:
                event.refused = place
        elif record.event in self.events:
            self.repeats.append(SentEvent(record, place))
        else:
            self.events[record.event] = SentEvent(record, place)

    def _sent_at(self, event: str, node: str) -> SentEvent:
        candidates = [self.events[event], *(one for one in self.repeats if one.sent.event == event)]
        return next(one for one in candidates if one.sent.node == node)
