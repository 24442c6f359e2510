"""A history in tables: subscriptions and advertisements with their lifetimes, publications, notifications, gaps."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import Generic, TypeVar

from msgspec import Struct

from triplewire.testing.simulation.superpeers.histories.history import (
    Accepted,
    Advertised,
    GapReported,
    History,
    Notified,
    Published,
    Subscribed,
    SuperPeerLeft,
    Trimmed,
    Unsubscribed,
    Withdrawn,
)

Made = TypeVar("Made", Subscribed, Advertised)


class Lifetime(Struct, Generic[Made]):
    """A subscription or advertisement, and until when it lasted."""

    made: Made
    until: float = inf


class HistoryTables:
    """The tables."""

    def __init__(self, history: History) -> None:
        self.subscriptions: dict[str, Lifetime[Subscribed]] = {}
        self.offers: dict[str, Lifetime[Advertised]] = {}
        self.publications: dict[str, Published] = {}
        self.accepted: list[Accepted] = []
        self.notified: list[Notified] = []
        self.ends: dict[str, float] = {}
        self.trims: list[Trimmed] = []
        self.gaps: list[GapReported] = []
        # The position of an event in the log of an access point.
        self.positions: dict[tuple[str, str], int] = {}
        for record in history.records:
            self._enter(record)

    def _enter(self, record: object) -> None:
        match record:
            case Subscribed():
                self.subscriptions[record.name] = Lifetime(record)
            case Unsubscribed():
                self.subscriptions[record.name].until = record.time
            case Advertised():
                self.offers[record.name] = Lifetime(record)
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
            case GapReported():
                self.gaps.append(record)
            case SuperPeerLeft():
                self.ends[record.node] = record.time

    def is_lost(self, made: Subscribed, event: str) -> bool:
        """Whether the notification of an event is in a reported gap of the subscription."""
        position = self.positions.get((made.node, event), 0)
        return any(gap.subscription == made.name and gap.after < position <= gap.until for gap in self.gaps)

    def offers_of(self, published: Published) -> Iterator[Lifetime[Advertised]]:
        """The advertisements of its publisher when an event was published."""
        for lifetime in self.offers.values():
            made = lifetime.made
            is_its = made.peer == published.peer and made.node == published.node
            if is_its and made.time <= published.time < lifetime.until:
                yield lifetime
