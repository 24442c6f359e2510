"""A history in tables: who subscribed what from when to when, who offered, published and was told what."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import Generic, TypeVar

from msgspec import Struct

from triplewire.testing.simulation.history import (
    Accepted,
    Advertised,
    Ended,
    History,
    Notified,
    Published,
    Subscribed,
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
            case Accepted():
                self.accepted.append(record)
            case Notified():
                self.notified.append(record)
            case Ended():
                self.ends[record.node] = record.time

    def offers_of(self, published: Published) -> Iterator[Life[Advertised]]:
        """What its publisher had advertised when it was published."""
        for life in self.offers.values():
            made = life.made
            is_its = made.peer == published.peer and made.node == published.node
            if is_its and made.time <= published.time < life.until:
                yield life
