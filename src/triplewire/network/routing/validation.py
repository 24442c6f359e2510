"""Validation of what other super-peers send.

A super-peer may be wrong or hostile although its key is right. A subscription that does not parse or has the key of
another, a description that describes nothing, an event that is not the one it names: each is dropped alone and counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from triplewire.errors import TriplewireError
from triplewire.network.messages import Description, Publication, StandingQuery
from triplewire.network.routing.advertisements.descriptions import supply_in
from triplewire.network.routing.publications import event_of
from triplewire.network.routing.subscriptions.standing_queries import validated

T = TypeVar("T")


class Validator:
    """Keeps what is valid. `refused` counts the rest."""

    def __init__(self) -> None:
        self.refused = 0

    def queries(self, arriving: Iterable[StandingQuery]) -> list[StandingQuery]:
        return self._valid(arriving, validated)

    def descriptions(self, arriving: Iterable[Description]) -> list[Description]:
        return self._valid(arriving, supply_in)

    def is_valid(self, publication: Publication) -> bool:
        return bool(self._valid([publication], event_of))

    def _valid(self, arriving: Iterable[T], check: Callable[[T], object]) -> list[T]:
        valid = []
        for one in arriving:
            try:
                check(one)
            except (TriplewireError, UnicodeError):
                self.refused += 1
            else:
                valid.append(one)
        return valid
