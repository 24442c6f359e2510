"""What a peer's own program remembers: who it is, where it is, and what it has standing.

The paper's variable *previous access point* is `previous` here: a peer may move on before it could reach the last one.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct

from triplewire.network.sessions.identity import public_identifier, public_key_of


class Keys(Struct, frozen=True):
    """Who a peer is. Nobody but its own program and its access points ever sees the secret."""

    private_key: bytes
    secret: str

    @property
    def id(self) -> str:
        return public_identifier(public_key_of(self.private_key))


class Place(Struct, frozen=True):
    """An access point: its key, learnt by secure means, where it listens, and what it wants of those who register."""

    public_key: bytes
    address: str
    invitation: str = ""

    @property
    def id(self) -> str:
        return public_identifier(self.public_key)


class Query(Struct, frozen=True):
    """A standing query."""

    language: str
    text: str


class Asked(Struct, frozen=True):
    """A rendezvous that was asked for and has not come."""

    owner: str
    access_point: str
    location: str


class Parting(Struct, frozen=True):
    """A previous access point that may still have something. `tide` is set once it has been drained."""

    place: Place
    tide: dict[str, int] | None = None


class Home(Struct, frozen=True, kw_only=True):
    """What survives. `access_point` is what super-peers call the one where the peer is, once it is known.

    `since` is what that one must still be told, with the subscriptions.
    """

    at: Place
    access_point: str = ""
    previous: tuple[Parting, ...] = ()
    subscriptions: dict[str, Query] = msgspec.field(default_factory=dict)
    registration: str | None = None
    requests: dict[str, Asked] = msgspec.field(default_factory=dict)
    since: dict[str, int] | None = None
    address: str = ""

    def moving_to(self, place: Place) -> Home:
        """Be at another access point; the one before is still to be drained."""
        if place.id == self.at.id:
            return msgspec.structs.replace(self, at=place)
        # One that was left and is where the peer comes back to may have forgotten it already.
        back = self.released(place.id)
        previous = (*back.previous, Parting(self.at))
        return msgspec.structs.replace(back, at=place, access_point="", previous=previous)

    def drained(self, access_point: str, tide: dict[str, int]) -> Home:
        """Everything pending at a previous access point has come, up to a tide."""
        previous = tuple(
            msgspec.structs.replace(one, tide=tide) if one.place.id == access_point else one for one in self.previous
        )
        return msgspec.structs.replace(self, previous=previous)

    def released(self, access_point: str) -> Home:
        """A previous access point has forgotten this peer."""
        tides = [one.tide for one in self.previous if one.place.id == access_point and one.tide is not None]
        since = self.since
        for tide in tides:
            since = tide if since is None else earlier(since, tide)
        previous = tuple(one for one in self.previous if one.place.id != access_point)
        return msgspec.structs.replace(self, previous=previous, since=since)


def earlier(one: dict[str, int], other: dict[str, int]) -> dict[str, int]:
    """Where both have been: whoever begins there misses nothing of either.

    >>> earlier({"a": 3, "b": 5}, {"a": 4})
    {'a': 3}
    """
    return {origin: min(one[origin], other[origin]) for origin in one if origin in other}
