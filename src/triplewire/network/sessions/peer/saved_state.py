"""The saved state of a peer: its keys, its access points, its subscriptions and requests.

The paper's variable *previous access point* is `previous` here: a peer may move on before it could reach the last one.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct

from triplewire.network.sessions.identity import public_identifier, public_key_of


class PeerKeys(Struct, frozen=True):
    """The keys of a peer. Only its own program and its access points ever see the secret."""

    private_key: bytes
    secret: str

    @property
    def id(self) -> str:
        return public_identifier(public_key_of(self.private_key))


class AccessPointInfo(Struct, frozen=True):
    """An access point: its key, learnt by secure means, its address, and an invitation to register there."""

    public_key: bytes
    address: str
    invitation: str = ""

    @property
    def id(self) -> str:
        return public_identifier(self.public_key)


class SubscriptionQuery(Struct, frozen=True):
    """The query of a subscription."""

    language: str
    text: str


class ResourceRequest(Struct, frozen=True):
    """A rendezvous that was requested and has not taken place."""

    owner: str
    access_point: str
    location: str


class PreviousAccessPoint(Struct, frozen=True, rename={"access_point": "place", "watermarks": "tide"}):
    """A previous access point that is not released. `watermarks` is set once it has been drained.

    In the file the fields have the names of an earlier version.
    """

    access_point: AccessPointInfo
    watermarks: dict[str, int] | None = None


class SavedPeer(Struct, frozen=True, kw_only=True):
    """What survives a restart. `access_point` is the super-peer's identifier of the present access point, once known.

    `since` are the watermarks that still have to be sent to it, with the subscriptions.
    """

    at: AccessPointInfo
    access_point: str = ""
    previous: tuple[PreviousAccessPoint, ...] = ()
    subscriptions: dict[str, SubscriptionQuery] = msgspec.field(default_factory=dict)
    registration: str | None = None
    requests: dict[str, ResourceRequest] = msgspec.field(default_factory=dict)
    since: dict[str, int] | None = None
    address: str = ""

    def moving_to(self, access_point: AccessPointInfo) -> SavedPeer:
        """The state after a move to another access point; the one before is still to be drained."""
        if access_point.id == self.at.id:
            return msgspec.structs.replace(self, at=access_point)
        # An access point that the peer returns to may have forgotten it already.
        back = self.released(access_point.id)
        previous = (*back.previous, PreviousAccessPoint(self.at))
        return msgspec.structs.replace(back, at=access_point, access_point="", previous=previous)

    def drained(self, access_point: str, watermarks: dict[str, int]) -> SavedPeer:
        """The state after a previous access point was drained, up to watermarks."""
        previous = tuple(
            msgspec.structs.replace(one, watermarks=watermarks) if one.access_point.id == access_point else one
            for one in self.previous
        )
        return msgspec.structs.replace(self, previous=previous)

    def released(self, access_point: str) -> SavedPeer:
        """The state after a previous access point has released this peer."""

        drained = [
            one.watermarks
            for one in self.previous
            if one.access_point.id == access_point and one.watermarks is not None
        ]
        since = self.since
        for watermarks in drained:
            since = watermarks if since is None else earlier(since, watermarks)
        previous = tuple(one for one in self.previous if one.access_point.id != access_point)
        return msgspec.structs.replace(self, previous=previous, since=since)


def earlier(one: dict[str, int], other: dict[str, int]) -> dict[str, int]:
    """The minimum of two watermarks, by origin: who begins there misses nothing of either.

    >>> earlier({"a": 3, "b": 5}, {"a": 4})
    {'a': 3}
    """
    return {origin: min(one[origin], other[origin]) for origin in one if origin in other}
