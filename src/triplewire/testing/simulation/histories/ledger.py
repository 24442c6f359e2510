"""A history in tables: who subscribed what from when to when, who offered, published and was told what."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import Generic, TypeVar

from msgspec import Struct

from triplewire.testing.simulation.histories.history import (
    Accepted,
    Advertised,
    Ended,
    History,
    Lapsed,
    Notified,
    Published,
    Subscribed,
    Trimmed,
    Unsubscribed,
    Withdrawn,
)

Made = TypeVar("Made", Subscribed, Advertised)


class Life(Struct, Generic[Made]):
    """Something that was made, and until when it stood."""

    made: Made
    until: float = inf


class Ledger:
    """The tables."""

    def __init__(self, history: History) -> None:
        self.subscriptions: dict[str, Life[Subscribed]] = {}
        self.offers: dict[str, Life[Advertised]] = {}
        self.publications: dict[str, Published] = {}
        self.accepted: list[Accepted] = []
        self.notified: list[Notified] = []
        self.ends: dict[str, float] = {}
        self.trims: list[Trimmed] = []
        self.lapses: list[Lapsed] = []
        # Where an event stands in the log of an access point.
        self.positions: dict[tuple[str, str], int] = {}
        for record in history.records:
            self._enter(record)

    def _enter(self, record: object) -> None:
        match record:
            case Subscribed():
                self.subscriptions[record.name] = Life(record)
            case Unsubscribed():
                self.subscriptions[record.name].until = record.time
            case Advertised():
                self.offers[record.name] = Life(record)
            case Withdrawn():
                self.offers[record.name].until = record.time
            case Published():
                self.publications[record.event] = record
                self.positions[record.node, record.event] = record.position
            case Accepted():
                self.accepted.append(record)
                self.positions[record.node, record.event] = record.position
            case Notified():
                self.notified.append(record)
            case Trimmed():
                self.trims.append(record)
            case Lapsed():
                self.lapses.append(record)
            case Ended():
                self.ends[record.node] = record.time

    def is_lost(self, made: Subscribed, event: str) -> bool:
        """Whether its subscriber was told that a notification of an event is lost."""
        position = self.positions.get((made.node, event), 0)
        return any(lapse.subscription == made.name and lapse.after < position <= lapse.until for lapse in self.lapses)

    def offers_of(self, published: Published) -> Iterator[Life[Advertised]]:
        """What its publisher had advertised when it was published."""
        for life in self.offers.values():
            made = life.made
            is_its = made.peer == published.peer and made.node == published.node
            if is_its and made.time <= published.time < life.until:
                yield life
