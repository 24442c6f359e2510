"""Customs: what comes from another super-peer is looked at before it is let in.

A super-peer may be wrong or hostile though its key is right. A subscription that does not parse or has another's key,
a description that describes nothing, an event that is not the one it says: each is left out alone, and counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from triplewire.errors import TriplewireError
from triplewire.network.messages import Description, Publication, Standing
from triplewire.network.routing.advertisements.descriptions import supply_in
from triplewire.network.routing.publications import event_of
from triplewire.network.routing.subscriptions.standing_queries import checked

T = TypeVar("T")


class Customs:
    """Lets in what is sound. `refused` counts the rest."""

    def __init__(self) -> None:
        self.refused = 0

    def standings(self, arriving: Iterable[Standing]) -> list[Standing]:
        return self._sound(arriving, checked)

    def descriptions(self, arriving: Iterable[Description]) -> list[Description]:
        return self._sound(arriving, supply_in)

    def is_sound(self, publication: Publication) -> bool:
        return bool(self._sound([publication], event_of))

    def _sound(self, arriving: Iterable[T], check: Callable[[T], object]) -> list[T]:
        found = []
        for one in arriving:
            try:
                check(one)
            except (TriplewireError, UnicodeError):
                self.refused += 1
            else:
                found.append(one)
        return found
